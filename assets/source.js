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
  const translation = h("output", { for: "source", class: "translation" });

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
  watch(["trace"], ({ trace }) => {
    const text = trace?.translation ?? "";
    translation.replaceChildren(h("bdi", {}, text));
    translation.classList.toggle("long", text.length > LONG);
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
    h("div", {}, h("h2", { class: "heading" }, t("translation")), translation),
  );
}
