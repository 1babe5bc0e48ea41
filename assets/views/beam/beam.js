/** The picture of the page: the words, and the beam from the one being written to where the model looks. */

import { h } from "../../kit/dom.js";
import { DEFAULT_TAB } from "../../state/state.js";
import { readAsView } from "../read_as.js";
import { wordActs } from "./acts.js";
import { beamLight } from "./light.js";
import { replyView } from "./reply.js";
import { wordRows } from "./rows.js";
import { sentenceView } from "./sentence.js";

/** @param {import("../../state/actions.js").Context} context */
export function beamView(context) {
  const rows = wordRows(context);
  const light = beamLight(context, rows);
  const sentence = sentenceView(context);
  const { element: reply, leaveOut } = replyView(context, sentence, rows.source);
  const menu = wordActs(context, rows, light, leaveOut);
  const view = h(
    "div",
    { class: "beam" },
    readAsView(context),
    light.element,
    sentence,
    reply,
    menu,
  );
  // Where another view asks for the room, the light is low.
  context.watch(["tab"], ({ tab }) => view.classList.toggle("folded", tab !== DEFAULT_TAB));
  return view;
}
