/** Where a sentence goes in, and its translation comes out. */

import { h } from "./dom.js";

/** From this many characters on, a translation is set smaller. */
const LONG = 28;

/** @param {import("./page.js").Context} context */
export function sourceView({ actions, t, watch }) {
  const box = h("input", {
    id: "source",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "problem",
    placeholder: t("source.placeholder"),
    input: () => actions.edit(box.value),
  });
  const button = h("button", { type: "submit", class: "primary" });
  const examples = h("div", { class: "chips", role: "group", "aria-label": t("examples") });
  const problem = h("p", { id: "problem", role: "alert" });

  watch(["source"], ({ source }) => {
    if (box.value !== source) box.value = source;
  });
  watch(["busy"], ({ busy }) => {
    button.textContent = t(busy ? "translating" : "translate");
    button.ariaBusy = String(busy);
  });
  watch(["error"], ({ error }) => {
    problem.textContent = error ? t(`error.${error.code}`, error.details) : "";
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
      h("label", { for: "source", class: "heading" }, t("source.label")),
      h("div", { class: "ask" }, box, button),
      problem,
      examples,
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
  const translation = h("output", { for: "source", class: "translation" });
  watch(["trace"], ({ trace }) => write(translation, trace?.translation ?? ""));
  return h("div", {}, h("h2", { class: "heading" }, t("translation")), translation);
}

/** @type {(element: HTMLElement, text: string) => void} */
function write(element, text) {
  element.replaceChildren(h("bdi", {}, text));
  element.classList.toggle("long", text.length > LONG);
}
