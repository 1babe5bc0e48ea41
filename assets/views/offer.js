/** One model of the hub: what it is, and getting it, watching that, or removing it. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { languagesOf } from "../kit/languages.js";
import { bytesText, countText } from "../kit/numbers.js";
import { problemText } from "../state/problem.js";
import { isRunning } from "../state/server/downloads.js";

/** @import { Translate } from "../kit/i18n.js" */
/** @import { Download, Downloads, Here } from "../state/state.js" */

/**
 * @param {import("../state/actions.js").Context} context
 * @param {string} model  its name on the hub
 * @returns {{element: HTMLLIElement, update: (downloads: Downloads) => void}}
 */
export function offerView({ store, actions, t }, model) {
  const { language } = store.get();
  const short = model.slice(model.indexOf("/") + 1);
  const pair = languagesOf(model, language)?.map((name) =>
    name === "ROMANCE" ? t("more.romance") : name,
  );
  const details = h("span", { class: "quiet" });
  const problem = h("p", { role: "alert" });
  /** @type {(name: string, label: string, run: () => void) => HTMLButtonElement} */
  const button = (name, label, run) =>
    h("button", { class: "chip", "aria-label": label, click: run }, name);
  const named = { model: short };
  const download = button(t("more.download"), t("more.download_of", named), start);
  const remove = button(t("more.remove"), t("more.remove_of", named), () => confirm(true));
  const cancel = button(t("more.cancel"), t("more.cancel_of", named), actions.cancelDownload);
  const way = wayView(t, short, cancel);
  const question = h("span", { id: `sure-${model}` });
  const keep = chip(() => confirm(false), t("more.sure_no"));
  const yes = chip(removeIt, t("more.sure_yes"));
  const sure = h(
    "div",
    { class: "cluster sure", role: "group", "aria-labelledby": question.id, hidden: true },
    question,
    yes,
    keep,
  );
  const name = pair ? t("more.pair", { source: pair[0], target: pair[1] }) : short;
  const what = h("div", { class: "what" }, h("span", {}, name), details);
  const element = h("li", { class: "cluster" }, what, download, remove, way.element, sure, problem);

  async function start() {
    showProblem(await actions.startDownload(model));
  }

  /** @param {boolean} asking */
  function confirm(asking) {
    sure.hidden = !asking;
    remove.hidden = asking;
    (asking ? keep : remove).focus();
  }

  async function removeIt() {
    const name = installed(store.get().downloads)?.name ?? "";
    yes.ariaBusy = "true";
    const refused = await actions.removeModel(name);
    yes.ariaBusy = "false";
    sure.hidden = true;
    showProblem(refused);
    (refused ? remove : download).focus();
  }

  /** @param {import("../state/problem.js").Problem | null | undefined} refusal */
  function showProblem(refusal) {
    const text = refusal ? problemText(t, refusal) : "";
    if (problem.textContent !== text) problem.textContent = text;
    problem.classList.toggle("quiet", refusal?.code === "download_cancelled");
  }

  /** @param {Downloads | null} downloads */
  const installed = (downloads) => downloads?.here.find(({ origin }) => origin === model);

  /** @type {string | undefined} */
  let stage;

  /** @param {Downloads} downloads */
  function update(downloads) {
    const here = installed(downloads);
    const running = isRunning(downloads.download);
    const mine = downloads.download?.model === model ? downloads.download : null;
    const focused = element.contains(document.activeElement);
    details.textContent = detailsOf(t, model, here ?? downloads.listings[model]);
    if (here) question.textContent = t("more.sure", { ...named, size: bytesText(here.size) });
    remove.hidden = !here || !sure.hidden;
    download.hidden = Boolean(here) || (running && mine !== null);
    download.disabled = running || downloads.away === true;
    way.show(running ? mine : null);
    if (mine && stage !== mine.stage) {
      showProblem(mine.error);
      if (focused) (cancel.checkVisibility() ? cancel : here ? remove : download).focus();
    }
    stage = mine?.stage;
  }

  return { element, update };
}

/**
 * How far a download is.
 *
 * @param {Translate} t
 * @param {string} model
 * @param {HTMLButtonElement} cancel  ends it, while that can be
 */
function wayView(t, model, cancel) {
  const bar = h("progress", { max: 1, "aria-label": t("more.progress", { model }) });
  const far = h("span", { class: "quiet" });
  const element = h("div", { class: "cluster way" }, bar, far, cancel);
  return {
    element,
    /** @param {Download | null} download  that is running */
    show(download) {
      element.hidden = !download;
      if (!download) return;
      const { stage, received, total } = download;
      if (stage === "fetching" && total > 0) bar.value = received / total;
      else bar.removeAttribute("value");
      far.textContent = t(`more.${download.stage}`, {
        received: bytesText(received),
        total: bytesText(total),
      });
      cancel.hidden = stage === "installing" || stage === "measuring";
    },
  };
}

/**
 * What is known of a model of the hub, what it can be asked included, or that it was not found.
 *
 * @type {(t: Translate, model: string, listing: Downloads["listings"][string] | Here | undefined) => string}
 */
export function detailsOf(t, model, listing) {
  // That the hub is out of reach stands above the list, once.
  if (!listing || ("code" in listing && listing.code === "hub_unreachable")) return model;
  if ("code" in listing) return `${model} · ${problemText(t, listing)}`;
  const { family, form, parameters = 0 } = "form" in listing ? listing : {};
  const parts = [
    ...[model, family, form && t(`guest.form.${form}`), form && t(`guest.asked.${form}`)],
    parameters && t("guest.millions", { count: countText(parameters / 1e6) }),
    ...[bytesText(listing.size), listing.license || t("more.no_license")],
    "origin" in listing ? t("more.here") : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
