/** What the model is, its card one click away, and what it cannot know of the sentence that is shown. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { inLanguage } from "../kit/i18n.js";
import { markdownBlocks } from "../kit/markdown.js";
import { probabilityText } from "../kit/numbers.js";
import { awaiting } from "../parts/awaited.js";
import { openFile } from "./file.js";

/** @type {Record<import("../kit/markdown.js").Block["type"], "h3" | "p" | "li" | "pre">} */
const TAGS = { heading: "h3", paragraph: "p", item: "li", code: "pre" };

/** @param {string} markdown */
function blocksOf(markdown) {
  return markdownBlocks(markdown).map(({ type, text }) => h(TAGS[type], {}, text));
}

/** @param {import("../state/actions.js").Context} context */
export function aboutView(context) {
  const { store, actions, served, cardOf, t, watch } = context;
  const is = h("span");
  const warning = h("span", { class: "warning", role: "status", "aria-label": t("about.warning") });
  const title = h("h2", { id: "card-title" });
  const text = h("div", { class: "card-text", tabindex: 0, role: "region" });
  text.setAttribute("aria-labelledby", "card-title");
  const dialog = h("dialog", { class: "card", "aria-labelledby": "card-title" }, title, text);
  dialog.append(chip(() => dialog.close(), t("about.close")));
  const open = h("button", { class: "link", click: show }, t("about.card"));
  // Where a picture is shown, its menu opens others.
  const file = h("button", { class: "link", click: () => openFile(actions) }, t("file.open"));
  /** The model that does read this text. */
  let reader = "";
  const use = h("button", {
    class: "link",
    hidden: true,
    click: () => actions.chooseModel(reader),
  });
  const line = h("p", {}, is, warning, " ", use, " ", open, " ", file);
  const { problem, show: draw } = awaiting(t);

  function show() {
    const { model, language } = store.get();
    title.textContent = inLanguage(actions.modelOf(model)?.title, language) ?? model;
    text.replaceChildren(problem);
    dialog.showModal();
    const guest = store.get().trace?.guest;
    if (guest && actions.modelOf(model)?.guest) {
      const folder = actions.modelOf(model)?.guest?.folder ?? false;
      import("./guest/card.js").then(({ cardView }) =>
        text.replaceChildren(cardView(t, model, guest, folder)),
      );
      return;
    }
    draw(
      cardOf(model),
      ({ card, in_short: others }) => {
        const own = others?.[language];
        const short = own ? [...blocksOf(own), h("h3", {}, t("about.card_whole"))] : [];
        // What is in English says so to whoever has it read aloud.
        const whole = h("div", { lang: "en" }, ...blocksOf(card));
        text.replaceChildren(...short, whole);
      },
      "",
    );
  }

  watch(["model"], ({ model, language }) => {
    const entry = actions.modelOf(model);
    is.textContent = inLanguage(entry?.about, language) ?? "";
    open.hidden = !served || !entry?.has_card;
  });
  watch(["model", "trace"], ({ model, trace }) => {
    if (!actions.modelOf(model)?.guest) return;
    const card = trace?.model === model ? trace.guest : undefined;
    open.hidden = !card;
    is.textContent = "";
    if (!card) return;
    import("./guest/card.js").then(({ inShort }) => {
      if (store.get().trace?.guest === card) is.textContent = inShort(t, card);
    });
  });
  watch(["trace"], ({ trace }) => (file.hidden = !served || trace !== null));
  watch(["trace", "source", "models", "model"], async (state) => {
    const { trace, source, models, language } = state;
    const model = actions.modelOf(state.model);
    // What another model read says nothing of this one. Its own examples, as it says them, leave nothing to
    // doubt, and so bring no words of other languages.
    const known = trace?.model !== state.model || trace.guest || isExample(trace, model);
    const { doubt } = known ? {} : await import("../trace/doubt.js");
    if (store.get().trace !== trace || store.get().model !== state.model) return;
    const reason = trace && doubt?.(trace, model ?? {}, source, served ? models : []);
    const text = reason ? doubtText(t, reason, model?.source_language ?? "") : "";
    if (warning.textContent !== text) warning.textContent = text;
    is.hidden = text !== ""; // one takes the other's place
    reader = (reason && "reader" in reason && reason.reader) || "";
    use.hidden = !reader;
    const title = inLanguage(actions.modelOf(reader)?.title, language) ?? reader;
    use.textContent = reader ? t("about.use", { model: title }) : "";
  });
  return h("section", { class: "about quiet", "aria-label": t("about") }, line, dialog);
}

/** @type {(trace: import("../trace/trace.js").Trace, model?: import("../state/state.js").Model) => boolean | undefined} */
function isExample({ source, interventions, prefix_length: given }, model) {
  return !interventions?.length && !given && model?.examples.includes(source);
}

/**
 * @param {import("../kit/i18n.js").Translate} t
 * @param {import("../trace/doubt.js").Doubt} doubt
 * @param {string} language  that the model reads
 */
function doubtText(t, doubt, language) {
  switch (doubt.says) {
    case "foreign":
      return t("about.foreign", { language: t(`language.${language}`) });
    case "language": {
      const other = t(`language.${doubt.language}`);
      return t("about.language", { language: t(`language.${language}`), other });
    }
    case "unknown":
      return t("about.unknown");
    case "long":
      return t("about.long", { length: doubt.length, longest: doubt.longest });
    case "broken": {
      const probability = probabilityText(doubt.probability);
      return t("about.broken", { words: doubt.words.join(t("words.comma")), probability });
    }
    case "unsure":
      return t("about.unsure", { probability: probabilityText(doubt.probability) });
  }
}
