/** What the model is, its card one click away, and what it cannot know of the sentence that is shown. */

import { h } from "../kit/dom.js";
import { markdownBlocks } from "../kit/markdown.js";
import { probabilityText } from "../kit/numbers.js";
import { problemText } from "../state/server.js";
import { certainty, isUnsure } from "../trace/certainty.js";
import { isForeign } from "../trace/scripts.js";
import { openButton } from "./file.js";

/** @typedef {import("../state/actions.js").Context} Context */

/** @type {Record<import("../kit/markdown.js").Block["type"], "h3" | "p" | "li" | "pre">} */
const TAGS = { heading: "h3", paragraph: "p", item: "li", code: "pre" };

/** @param {Context} context */
export function aboutView(context) {
  const { store, actions, ask, t, watch } = context;
  const is = h("span");
  const warning = h("p", { class: "warning", role: "status", "aria-label": t("about.warning") });
  const title = h("h2", { id: "card-title" });
  const text = h("div", { class: "card-text", tabindex: 0, role: "region" });
  text.setAttribute("aria-labelledby", "card-title");
  const dialog = h(
    "dialog",
    { class: "card", "aria-labelledby": "card-title" },
    title,
    text,
    h("form", { method: "dialog" }, h("button", { class: "chip" }, t("about.close"))),
  );
  const open = h("button", { type: "button", class: "link", click: show }, t("about.card"));
  const line = h("p", {}, is, " ", open, " ", ask && openButton(context));

  async function show() {
    const { model, language } = store.get();
    title.textContent = actions.modelOf(model)?.title[language] ?? model;
    text.replaceChildren();
    dialog.showModal();
    const { card, error } = (await ask?.({ ask: "card", model })) ?? {};
    const blocks = card ? markdownBlocks(card) : [];
    text.replaceChildren(
      ...blocks.map(({ type, text: words }) => h(TAGS[type], {}, words)),
      card ? "" : problemText(t, error),
    );
  }

  watch(["model"], ({ model, language }) => {
    const known = actions.modelOf(model);
    is.textContent = known?.about?.[language] ?? "";
    open.hidden = !ask || !known?.has_card;
  });
  watch(["trace"], ({ trace }) => {
    const language = (trace && actions.modelOf(trace.model)?.source_language) ?? "";
    const unknown = trace?.src.includes("<unk>");
    if (trace && isForeign(trace.source, language)) {
      warning.textContent = t("about.foreign", { language: t(`language.${language}`) });
    } else if (unknown) {
      warning.textContent = t("about.unknown");
    } else {
      const unsure = trace && isUnsure(trace);
      const probability = unsure ? probabilityText(certainty(trace)) : "";
      warning.textContent = unsure ? t("about.unsure", { probability }) : "";
    }
  });
  return h("section", { class: "about quiet", "aria-label": t("about") }, line, warning, dialog);
}
