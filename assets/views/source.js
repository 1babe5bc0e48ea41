/** Where a sentence goes in. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { foldButton } from "../kit/fold.js";
import { formView } from "../kit/form.js";
import { inLanguage } from "../kit/i18n.js";
import { inARow } from "../kit/typeset.js";
import { later } from "../parts/later.js";
import { problemText } from "../state/problem.js";
import { codeOf, withCode } from "../trace/language_code.js";
import { aboutView } from "./about.js";
import { changesView } from "./changes.js";
import { languageMenu } from "./language_menu.js";
import { samplingView } from "./sampling.js";
import { waitingText } from "./waiting.js";

/** One that the address names, and nobody knows here. */
const MODEL = /^model=[\w.-]+(\/[\w.-]+)?(@[\w./-]+)?$/;

/** @param {import("../state/actions.js").Context} context */
export function sourceView(context) {
  const { store, actions, t, watch } = context;
  const box = h("input", {
    id: "source",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "problem",
    input: () => actions.editSource(box.value),
  });
  const label = h("label", { for: "source", class: "spoken" });
  const button = h("button", { type: "submit", class: "primary" });
  const examples = h("div", { class: "cluster chips", role: "group", "aria-label": t("examples") });
  const more = foldButton(examples, { more: t("examples.more"), less: t("less") });
  const problem = h("p", { id: "problem", role: "alert" });
  const waiting = h("p", { role: "status", class: "quiet" });
  const outdated = h("p", { role: "note", class: "quiet" }, t("outdated"));

  watch(["source"], ({ source }) => {
    if (box.value !== source) box.value = source;
  });
  namedByModel(context, { label, box, button });
  watch(["error", "ignored"], ({ error, ignored, lacking }) => {
    const model = ignored.find((part) => MODEL.test(part))?.replace("model=", "");
    const isOff = lacking.includes("guests");
    problem.textContent = inARow([
      error ? problemText(t, error) : "",
      ignored.length ? t("ignored", { parts: ignored.join(", ") }) : "",
      model ? t(isOff ? "guest.off" : "guest.start", { command: `headlight ${model}` }) : "",
    ]);
    const isEnded = error?.code === "cancelled"; // by a person: no fault of the text's
    problem.classList.toggle("quiet", isEnded);
    box.ariaInvalid = String(error !== null && !isEnded);
  });
  watch(["waiting", "busy"], (state) => {
    waiting.textContent = waitingText(context, state);
  });
  watch(["outdated"], (state) => (outdated.hidden = !state.outdated));
  watch(["model"], ({ model }) => {
    const chips = actions
      .examplesOf(model)
      .map((sentence) =>
        chip(() => actions.translate(intoChosen(sentence)), h("bdi", {}, withCode(sentence, ""))),
      );
    examples.replaceChildren(...chips);
    examples.hidden = chips.length === 0;
  });

  const sampling = samplingView(context);
  watch(["model"], ({ model }) => {
    sampling.hidden = actions.modelOf(model)?.guest?.form === "encoder"; // it writes nothing
  });
  /**
   * An example, into the language that the menu beside it shows.
   *
   * @param {string} sentence
   */
  function intoChosen(sentence) {
    const { source, model } = store.get();
    const chosen = codeOf(source);
    const codes = actions.modelOf(model)?.language_codes ?? [];
    return codes.includes(chosen) ? withCode(sentence, chosen) : sentence;
  }

  return h(
    "section",
    { class: "source" },
    formView(
      {},
      () => actions.translate(box.value),
      label,
      h("div", { class: "ask" }, box, button),
      problem,
      waiting,
      outdated,
    ),
    // One takes the other's place: what is under the pointer stays there.
    h(
      "div",
      { class: "beneath" },
      h(
        "div",
        { class: "cluster choices" },
        languageMenu(context),
        examples,
        more,
        guestPlace(context),
        sampling,
        aboutView(context),
      ),
      changesView(context),
    ),
  );
}

/**
 * What only guests are asked, which comes with the first of them.
 *
 * @param {import("../state/actions.js").Context} context
 */
function guestPlace(context) {
  const { actions, watch } = context;
  const place = h("div", { hidden: true });
  watch(["model"], ({ model }) => {
    const guest = actions.modelOf(model)?.guest;
    place.hidden = !guest;
    if (!guest || place.childElementCount) return;
    const bring = () => import("./guest/asked.js");
    place.append(later(bring, ({ askedView }) => askedView(context)));
  });
  return place;
}

/**
 * What goes in, and what is done with it, as the chosen model has it.
 *
 * @param {import("../state/actions.js").Context} context
 * @param {{label: HTMLElement, box: HTMLInputElement, button: HTMLElement}} named
 */
function namedByModel({ actions, t, watch }, { label, box, button }) {
  // A decoder-only model continues a prompt; the others translate a source.
  watch(["model"], ({ model }) => {
    const entry = actions.modelOf(model);
    const kind = entry?.decoder_only ? "prompt" : entry?.guest ? "guest.text" : "source";
    label.textContent = t(`${kind}.label`);
    box.placeholder = t(`${kind}.placeholder`);
  });
  watch(["model", "busy"], ({ model, busy, language }) => {
    const entry = actions.modelOf(model);
    const form = entry?.decoder_only ? null : entry?.guest?.form;
    const action = form ? t(`guest.${form}`) : inLanguage(entry?.action, language);
    const does = action
      ? `${action}${busy ? "…" : ""}`
      : entry?.decoder_only
        ? t(busy ? "continuing" : "continue")
        : t(busy ? "translating" : "translate");
    button.textContent = does;
    button.ariaBusy = String(busy);
  });
}
