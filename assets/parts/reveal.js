/** What lies further down the page, brought into view. */

import { isCalm } from "../kit/dom.js";

/** @import { Actions } from "../state/actions.js" */

/** The element that holds a cell's arithmetic. */
export const WORKED_OUT = "worked-out";

/**
 * Shows how a cell's weight came about, below its matrix.
 *
 * @param {Actions} actions
 * @param {import("../trace/choice.js").Cell} cell
 */
export function showArithmetic(actions, cell) {
  actions.pick(cell);
  reveal(WORKED_OUT, "start");
}

/** The element that holds all heads, where there are many. */
export const ALL_HEADS = "all-heads-of-kind";

/** Goes to all heads, where there are many. */
export function revealHeads() {
  reveal(ALL_HEADS, "start");
}

/** Goes back to the large matrix. */
export function revealMatrix() {
  reveal("tabpanel-attention", "nearest");
}

/**
 * Opens a tab, and goes there.
 *
 * @param {Actions} actions
 * @param {string} tab
 */
export function revealTab(actions, tab) {
  actions.openTab(tab);
  reveal(`tabpanel-${tab}`, "start");
}

/**
 * Makes a head the large one, and goes there.
 *
 * @param {Actions} actions
 * @param {import("../trace/kinds.js").Kind} kind
 * @param {import("../trace/choice.js").Choice} choice
 */
export function revealHead(actions, kind, choice) {
  actions.openTab("attention");
  actions.enlarge(kind, choice);
  goToTop(); // the large matrix stands on the first screen
}

/** Scrolls the page to its top; at once where the visitor wants no motion. */
export function goToTop() {
  window.scrollTo({ top: 0, behavior: behavior() });
}

/** @type {(id: string, block: ScrollLogicalPosition) => void} */
function reveal(id, block) {
  document.getElementById(id)?.scrollIntoView({ behavior: behavior(), block });
}

/** @returns {ScrollBehavior} */
function behavior() {
  return isCalm() ? "auto" : "smooth";
}
