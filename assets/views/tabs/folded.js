/** What few people come for: folded, and made when it is first opened. */

import { h } from "../../kit/dom.js";
import { whileSeen } from "../seen.js";

/** @typedef {import("../../state/actions.js").Context} Context */

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
