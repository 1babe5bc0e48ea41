/** The picture of the page: the words, and the beam from the one being written to where the model looks. */

import { h } from "../../kit/dom.js";
import { beamLight } from "./light.js";
import { wordRows } from "./rows.js";
import { sentenceView } from "./sentence.js";

/** @param {import("../../state/actions.js").Context} context */
export function beamView(context) {
  const light = beamLight(context, wordRows(context));
  return h("div", { class: "beam" }, light.element, sentenceView(context));
}
