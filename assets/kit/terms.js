/**
 * Words that explain themselves: one sentence each, in a bubble, for who points at a word, reaches it
 * with the Tab key or taps it; a screen reader reads the sentence as the word's description.
 */

import { h } from "./dom.js";
import { GAP, placeBeside } from "./place.js";

/** The bubble's own, in CSS pixels. */
const WIDTH = 280;

/** Milliseconds: a pointer that only passes opens nothing, and may cross over to the bubble. */
const [REST, GRACE] = [250, 200];

/**
 * The attributes of an element that stands for a term and can be reached anyway, a button say.
 *
 * @param {string} name
 */
export function explained(name) {
  return { "data-term": name, "aria-describedby": `term-${name}` };
}

/**
 * A word that is explained, in running text.
 *
 * @param {string} name
 * @param {(Node | string)[]} children
 */
export function term(name, ...children) {
  return h("dfn", { class: "term", tabindex: 0, ...explained(name) }, ...children);
}

/**
 * Words that are explained by a sentence of their own, with today's numbers say.
 *
 * @param {string} sentence
 * @param {(Node | string)[]} children
 */
export function explainedBy(sentence, ...children) {
  const how = { class: "term", tabindex: 0, "data-term": "", "aria-description": sentence };
  return h("dfn", how, ...children);
}

/**
 * Explains whatever has a `data-term` in an element, now or later.
 *
 * @param {HTMLElement} root
 * @param {readonly string[]} names
 * @param {(name: string) => string} sentence
 */
export function explainTerms(root, names, sentence) {
  const bubble = h("p", { class: "bubble", popover: "manual", role: "tooltip" });
  const sentences = names.map((name) => h("p", { id: `term-${name}` }, sentence(name)));
  root.append(h("div", { hidden: true }, ...sentences), bubble);
  /** @type {Element | null} */
  let shown = null;
  let timer = 0;

  /** @param {EventTarget | null} target */
  const termOf = (target) =>
    target instanceof Element && root.contains(target) ? target.closest("[data-term]") : null;

  /** @param {Element | null} element  null hides the bubble */
  function show(element) {
    clearTimeout(timer);
    if (element === shown) return;
    shown = element?.isConnected ? element : null;
    bubble.hidePopover();
    if (!shown) return;
    const { term } = /** @type {HTMLElement} */ (shown).dataset;
    bubble.textContent = term ? sentence(term) : shown.ariaDescription;
    bubble.showPopover();
    // In what has opened over the page, what follows the word is what it was opened for.
    placeBeside(bubble, shown.closest("[popover]") ?? shown);
  }

  /** @type {(element: Element | null, delay: number) => void} */
  function later(element, delay) {
    clearTimeout(timer);
    if (element !== shown) timer = window.setTimeout(show, delay, element);
  }

  bubble.style.maxWidth = `min(${WIDTH}px, calc(100vw - ${2 * GAP}px))`;
  root.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch") return;
    const over = bubble.contains(/** @type {Node} */ (target)) ? shown : termOf(target);
    later(over, over ? REST : GRACE);
  });
  root.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") later(null, GRACE);
  });
  root.addEventListener("focusin", ({ target }) => {
    const reached = /** @type {Element} */ (target).matches(":focus-visible");
    // Not at once: a menu that closes gives the focus back before it is closed.
    later(reached ? termOf(target) : null, 0);
  });
  root.addEventListener("focusout", () => show(null));
  // A finger cannot point: its tap opens, the next one elsewhere closes.
  root.addEventListener("click", ({ target }) => show(termOf(target)));
  // What is pointed at has no focus: Escape may come from anywhere.
  /** @param {KeyboardEvent} event */
  function close(event) {
    if (!root.isConnected) document.removeEventListener("keydown", close, true);
    if (event.key !== "Escape" || !shown) return;
    event.preventDefault(); // one Escape, one thing: whatever else it would close stays
    event.stopPropagation();
    show(null);
  }
  document.addEventListener("keydown", close, true);
}
