/** The words, and what comes of them: the source, the target so far, the translation. */

import { h } from "../kit/dom.js";
import { tokensView } from "./tokens.js";
import { translationView } from "./translation.js";

/** @param {import("../state/actions.js").Context} context */
export function wordsView(context) {
  return h("div", { class: "scene" }, tokensView(context), translationView(context));
}
