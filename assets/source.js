/** Where a sentence goes in, and its translation comes out. */

import { h } from "./dom.js";
import { samplingView } from "./sampling.js";

/** From this many characters on, a translation is set smaller. */
const LONG = 28;

/** @param {import("./page.js").Context} context */
export function sourceView(context) {
  const { actions, t, watch } = context;
  const box = h("input", {
    id: "source",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "problem",
    input: () => actions.edit(box.value),
  });
  const label = h("label", { for: "source", class: "heading" });
  const button = h("button", { type: "submit", class: "primary" });
  const examples = h("div", { class: "chips", role: "group", "aria-label": t("examples") });
  const problem = h("p", { id: "problem", role: "alert" });

  watch(["source"], ({ source }) => {
    if (box.value !== source) box.value = source;
  });
  // A decoder-only model continues a prompt; the others translate a source.
  watch(["model"], ({ model }) => {
    const kind = actions.modelOf(model)?.decoder_only ? "prompt" : "source";
    label.textContent = t(`${kind}.label`);
    box.placeholder = t(`${kind}.placeholder`);
  });
  watch(["model", "busy"], ({ model, busy }) => {
    const does = actions.modelOf(model)?.decoder_only
      ? t(busy ? "continuing" : "continue")
      : t(busy ? "translating" : "translate");
    button.textContent = does;
    button.ariaBusy = String(busy);
  });
  watch(["error", "ignored"], ({ error, ignored }) => {
    problem.textContent = [
      error ? t(`error.${error.code}`, error.details) : "",
      ignored.length ? t("ignored", { parts: ignored.join(", ") }) : "",
    ]
      .filter(Boolean)
      .join(" ");
    box.ariaInvalid = String(error !== null);
  });
  watch(["model"], ({ model }) => {
    const chips = actions
      .examplesOf(model)
      .map((sentence) =>
        h(
          "button",
          { type: "button", class: "chip", click: () => actions.translate(sentence) },
          h("bdi", {}, sentence),
        ),
      );
    examples.replaceChildren(h("span", { class: "quiet" }, t("examples")), ...chips);
    examples.hidden = chips.length === 0;
  });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    actions.translate(box.value);
  };
  return h(
    "section",
    { class: "source" },
    h(
      "form",
      { submit },
      label,
      h("div", { class: "ask" }, box, button),
      problem,
      examples,
      samplingView(context),
    ),
    translationView({ t, watch }),
  );
}

/**
 * What was translated, where there is no server to translate another sentence.
 *
 * @param {import("./page.js").Context} context
 */
export function givenView({ t, watch }) {
  const source = h("p", { class: "translation" });
  watch(["trace"], ({ trace }) => write(source, trace?.source ?? ""));
  return h(
    "section",
    { class: "source" },
    h("div", { class: "given" }, h("h2", { class: "heading" }, t("source.label")), source),
    translationView({ t, watch }),
  );
}

/** @param {Pick<import("./page.js").Context, "t" | "watch">} context */
function translationView({ t, watch }) {
  const heading = h("h2", { class: "heading" });
  const translation = h("output", { for: "source", class: "translation" });
  watch(["trace"], (state) => {
    const { translation: text = "", source = "", src } = state.trace ?? {};
    const continues = src?.length === 0;
    heading.textContent = t(continues ? "continuation" : "translation");
    write(translation, text, continues && text.startsWith(source) ? source.length : 0);
  });
  return h("div", {}, heading, translation);
}

/** @type {(element: HTMLElement, text: string, given?: number) => void} */
function write(element, text, given = 0) {
  const prompt = h("span", { class: "prompt" }, text.slice(0, given));
  element.replaceChildren(h("bdi", {}, prompt, text.slice(given)));
  element.classList.toggle("long", text.length > LONG);
}
