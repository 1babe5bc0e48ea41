/** The translation that comes out, and in a saved trace the sentence of which it is one. */

import { h } from "../kit/dom.js";
import { inLanguage } from "../kit/i18n.js";
import { visible, writtenText } from "../trace/written.js";
import { aboutView } from "./about.js";
import { changesView } from "./changes.js";

/** Characters from which on a translation is set smaller. */
const LONG = 28;

/**
 * What was translated, where there is no server to translate another sentence.
 *
 * @param {import("../state/actions.js").Context} context
 */
export function givenView(context) {
  const { t, watch } = context;
  const source = h("p", { class: "translation" });
  const heading = h("h2", { class: "heading" });
  const given = h("div", { class: "given" }, heading, source);
  const without = h("p", { class: "quiet" });
  watch(["trace"], ({ trace }) => {
    write(source, trace?.source ?? "");
    const alone = trace?.version === 2 && !trace.weights.cross;
    heading.textContent = t(alone ? "given.text" : "source.label");
    given.hidden = trace?.version === 2 && !trace.source;
    const recorded = trace?.origin?.by === "given";
    without.textContent = t(recorded ? "replay.given" : "replay.without");
  });
  return h(
    "section",
    { class: "source" },
    given,
    without,
    aboutView(context),
    changesView(context),
  );
}

/** @param {import("../state/actions.js").Context} context */
export function translationView({ actions, t, watch }) {
  const heading = h("h2", { class: "heading" });
  const translation = h("output", { for: "source", class: "translation" });
  watch(["trace", "hiding", "step"], (state) => {
    const { source = "", src } = state.trace ?? {};
    const text = state.trace ? writtenText(state.trace, state) : "";
    const continues = src?.length === 0;
    const other =
      state.trace && inLanguage(actions.modelOf(state.trace.model)?.action, state.language);
    const output = other || state.trace?.guest;
    heading.textContent = t(continues ? "continuation" : output ? "output" : "translation");
    write(translation, text, continues && text.startsWith(source) ? source.length : 0);
  });
  const view = h("div", { class: "translated" }, heading, translation);
  watch(["trace"], ({ trace }) => {
    view.hidden = trace?.version === 2 && !trace.translation;
  });
  return view;
}

/** @type {(element: HTMLElement, read: string, from?: number) => void}  from: where what was not given begins */
function write(element, read, from = 0) {
  const [text, given] = [visible(read), visible(read.slice(0, from)).length];
  // At most steps it stays as it is, and what is not written anew is not laid out anew.
  const before = element.querySelector(".prompt")?.textContent;
  if (element.textContent === text && before === text.slice(0, given)) return;
  const prompt = h("span", { class: "prompt" }, text.slice(0, given));
  element.replaceChildren(h("bdi", {}, prompt, text.slice(given)));
  element.classList.toggle("long", text.length > LONG);
  // What is longer still scrolls; so the arrow keys must reach it.
  if (text.length > LONG) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
  // A long prompt would fill the box alone; what goes on from it is what was asked for.
  if (given) requestAnimationFrame(() => scrollToEnd(element, prompt));
}

/** @type {(box: HTMLElement, part: HTMLElement) => void} */
function scrollToEnd(box, part) {
  const last = [...part.getClientRects()].at(-1);
  if (last) box.scrollTop += last.top - box.getBoundingClientRect().top;
}
