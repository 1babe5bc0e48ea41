/** What few people come for: folded, and made when it is first opened. */

import { h } from "../kit/dom.js";
import { whileSeen } from "./seen.js";

/** @import { Context } from "../state/actions.js" */

/**
 * A view that is open as the state says, which an address may hold.
 *
 * @param {string} title  the key of its text
 * @param {Context} context
 * @param {(context: Context<any>) => HTMLElement} view
 */
export function heldView(title, context, view) {
  const place = h("div");
  const folded = h("details", { class: "folded-view" }, h("summary", {}, context.t(title)), place);
  folded.addEventListener("toggle", () => {
    if (folded.open && !place.hasChildNodes()) place.append(view(whileSeen(context, place)));
    context.actions.unfold(title, folded.open);
  });
  context.watch(["unfolded"], ({ unfolded }) => {
    folded.open = unfolded.includes(title);
  });
  return folded;
}
