/** Models of the hub: a dialog to look at them, download one, and remove it again. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { formView } from "../kit/form.js";
import { problemText } from "../state/problem.js";
import { isRunning } from "../state/server/downloads.js";
import { hubName } from "../state/server/hub_name.js";
import { progressText } from "./download_progress.js";
import { offerView } from "./offer.js";

/** @param {import("../state/actions.js").Context} context */
export function moreModelsDialog(context) {
  const { store, actions, t, watch } = context;
  const title = h("h2", { id: "more-models-title", tabindex: -1 }, t("more.title"));
  const offline = h("p", { role: "alert" });
  const retry = h("button", { class: "chip", hidden: true, click: askHub }, t("more.retry"));
  const list = h("ul", { class: "card-text", "aria-label": t("more.list") });
  const status = h("p", { class: "spoken", role: "status", "aria-label": t("more.status") });
  const other = otherModel(t, actions.addOffer, () => {
    list.scrollTop = 0;
    /** @type {HTMLElement | null} */ (list.querySelector("button:not([hidden])"))?.focus();
  });
  const dialog = h(
    "dialog",
    {
      class: "card more-models",
      "aria-labelledby": "more-models-title",
      // The page's own keys are not for what is under a dialog.
      keydown: (/** @type {Event} */ event) => event.stopPropagation(),
    },
    title,
    h("p", { class: "quiet" }, t("more.about")),
    offline,
    retry,
    list,
    other.element,
    status,
  );
  dialog.append(chip(() => dialog.close(), t("about.close")));

  async function open() {
    other.clear();
    dialog.showModal();
    title.focus(); // else the browser would choose the list, since that scrolls
    await askHub();
  }

  async function askHub() {
    offline.textContent = "";
    retry.ariaBusy = "true";
    await actions.askOffers();
    const away = await actions.lookUpAll();
    retry.ariaBusy = "false";
    retry.hidden = away === null;
    if (away?.code === "hub_unreachable") offline.textContent = t("more.offline");
    else if (away) offline.textContent = problemText(t, away);
  }

  /** @type {Map<string, ReturnType<typeof offerView>>} */
  const rows = new Map();
  let ran = isRunning(store.get().downloads?.download);
  watch(["downloads"], ({ downloads }) => {
    if (!downloads) return;
    for (const model of downloads.models) {
      if (!rows.has(model)) rows.set(model, offerView(context, model));
    }
    const shown = downloads.models.map((model) => /** @type {any} */ (rows.get(model)).element);
    if (shown.some((row, i) => list.children[i] !== row)) list.replaceChildren(...shown);
    for (const { update } of rows.values()) update(downloads);
    const { download } = downloads;
    const text = progressText(t, download);
    if (status.textContent !== text) status.textContent = text;
    if (ran && download?.stage === "done" && dialog.open) {
      dialog.close();
      actions.chooseModel(download.name);
    }
    ran = isRunning(download);
  });

  return { dialog, open };
}

/**
 * The field for a model that is not in the list.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {(model: string) => Promise<import("../state/problem.js").Problem | null>} look
 * @param {() => void} onListed
 */
function otherModel(t, look, onListed) {
  const name = h("input", {
    id: "other-model",
    type: "text",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": "other-model-problem",
  });
  const problem = h("p", { id: "other-model-problem", role: "alert" });
  const lookUp = h("button", { type: "submit", class: "chip" }, t("more.look_up"));

  function clear() {
    problem.textContent = "";
  }

  async function submit() {
    const model = hubName(name.value);
    if (!model || lookUp.ariaBusy === "true") return;
    clear();
    lookUp.ariaBusy = "true";
    const refusal = await look(model);
    lookUp.ariaBusy = "false";
    if (refusal) problem.textContent = problemText(t, refusal);
    else {
      name.value = "";
      onListed();
    }
  }

  const element = formView(
    { class: "other" },
    submit,
    h("label", { for: "other-model" }, t("more.other")),
    h("div", {}, name, lookUp),
    problem,
  );
  return { element, clear };
}
