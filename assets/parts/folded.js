/** What few people come for: folded, and made when it is first opened. */

import { h } from "../kit/dom.js";
import { whileSeen } from "./seen.js";

/** @import { Context } from "../state/actions.js" */
/** @import { State } from "../state/state.js" */

/**
 * @param {string} title
 * @param {Context} context
 * @param {(context: Context) => HTMLElement} view
 */
export function foldedView(title, context, view) {
  const place = h("div");
  const folded = h("details", { class: "folded-view" }, h("summary", {}, title), place);
  folded.addEventListener("toggle", () => {
    if (folded.open && !place.hasChildNodes()) place.append(view(whileSeen(context, place)));
  });
  return folded;
}

/**
 * The same, open as the state says, which an address may hold.
 *
 * @param {string} title
 * @param {Context} context
 * @param {(context: Context) => HTMLElement} view
 * @param {object} held
 * @param {keyof State} held.key  what says so
 * @param {(state: State) => boolean} held.isOpen
 * @param {(open: boolean) => void} held.keep
 */
export function heldView(title, context, view, { key, isOpen, keep }) {
  const folded = foldedView(title, context, view);
  folded.addEventListener("toggle", () => {
    if (folded.open !== isOpen(context.store.get())) keep(folded.open);
  });
  context.watch([key], (state) => {
    folded.open = isOpen(state);
  });
  return folded;
}
