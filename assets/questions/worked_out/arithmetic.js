/** The arithmetic of one cell: a sentence, the frames, and the frame that is shown on the blackboard. */

import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { smallText } from "../../kit/numbers.js";
import { FRAMES, workOut } from "../../trace/arithmetic.js";
import { decodes, isAhead, keyTokens, queryTokens } from "../../trace/kinds.js";
import { boardView } from "./board.js";
import { framesView } from "./frames.js";
import { sayFrame } from "./words.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { HeadNumbers } from "../../trace/arithmetic.js" */
/** @import { Cell } from "../../trace/choice.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Worked } from "./vectors.js" */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {(key: number) => void} choose  another key of the row
 */
export function arithmeticView(context, choose) {
  const { store, t, watch } = context;
  /** @type {{worked: Worked, board: import("./board.js").Board} | null} */
  let drawn = null;
  const sentence = h("p", { class: "sentence" });
  const joined = h("p", { role: "note", class: "cluster heads-here" });
  const changed = h("p", { role: "note" }, t("worked_out.changed"));
  const finished = h("p", { role: "note" }, t("worked_out.finished"));
  const frames = framesView(context);
  const words = h("div", { class: "text", role: "status", "aria-label": t("worked_out.frame") });
  const blackboard = h("div", { class: "stack blackboard" });
  const strips = h("p", { class: "quiet" }, ...fill(t("worked_out.strips"), swatches(t)));
  const element = h(
    "div",
    { class: "stack arithmetic", hidden: true },
    ...[sentence, joined, changed, finished, frames.element, words, blackboard, strips],
  );

  /** @param {{onward?: boolean}} [how] */
  function showFrame(how) {
    if (!drawn) return;
    const { frame, presenter } = store.get();
    drawn.board.show(frame, how);
    words.replaceChildren(...sayFrame(t, drawn.worked, frame));
    // What a class is shown is in sight; at a desk, nothing scrolls by itself.
    if (presenter) drawn.board.reveal();
  }

  watch(["step"], ({ picked, step }) => {
    if (picked) finished.hidden = !isAhead(picked.kind, picked.query, step);
  });
  let last = store.get().frame;
  watch(["frame"], ({ frame }) => {
    if (frame === last) return;
    showFrame({ onward: FRAMES.indexOf(frame) === FRAMES.indexOf(last) + 1 });
    last = frame;
  });
  return {
    ...{ element, joined, press: frames.press },
    /** @returns {Trace | undefined}  whose numbers are shown */
    trace: () => drawn?.worked.trace,
    /** @type {(trace: Trace, cell: Cell, numbers: HeadNumbers) => void} */
    draw(trace, cell, numbers) {
      const { causal, heads = 1 } = trace.weights[cell.kind] ?? {};
      const inRow = blackboard.contains(document.activeElement);
      const arithmetic = workOut(numbers, cell, causal);
      const worked = { trace, cell, heads, arithmetic, numbers };
      drawn = { worked, board: boardView(t, worked, choose) };
      sentence.replaceChildren(...sentenceOf(t, worked));
      changed.hidden = !arithmetic.changed;
      // The step may have changed while the numbers were on their way.
      finished.hidden = !isAhead(cell.kind, cell.query, store.get().step);
      blackboard.replaceChildren(...drawn.board.elements);
      element.hidden = false;
      if (inRow) drawn.board.focus();
      showFrame();
    },
    clear() {
      drawn = null;
      element.hidden = true;
    },
  };
}

/** @param {Translate} t */
function swatches(t) {
  const swatch = (/** @type {"plus" | "minus"} */ sign) =>
    h("span", { class: "signed" }, h("span", { class: `swatch ${sign}` }), t(`worked_out.${sign}`));
  return { plus: swatch("plus"), minus: swatch("minus") };
}

/**
 * What is worked out, in a sentence.
 *
 * @type {(t: Translate, worked: Worked) => (Node | string)[]}
 */
function sentenceOf(t, { trace, cell: { kind, query, key }, arithmetic: { masked, weight } }) {
  return fill(t(decodes(kind) ? "worked_out.decoder" : "worked_out.encoder"), {
    query: tokenNode(queryTokens(trace, kind)[query]),
    predicts: tokenNode(trace.tgt_out[query] ?? ""),
    key: tokenNode(keyTokens(trace, kind)[key]),
    weight: h("strong", {}, masked ? t("tip.masked") : smallText(weight)),
  });
}
