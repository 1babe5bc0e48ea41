/** The blackboard: vectors that are compared or mixed, and below them the row, one line a key. */

import { isCalm } from "../../kit/dom.js";
import { keyTokens, queryTokens } from "../../trace/kinds.js";
import { flow, wipeIn } from "./motion.js";
import { rowView } from "./row.js";
import { vectorsView } from "./vectors.js";

/** @import { Frame } from "../../trace/arithmetic.js" */

/** @typedef {ReturnType<typeof boardView>} Board */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("./vectors.js").Worked} worked
 * @param {(key: number) => void} choose  another key of the row
 */
export function boardView(t, worked, choose) {
  const { trace, cell, arithmetic } = worked;
  const tokens = keyTokens(trace, cell.kind);
  const asking = queryTokens(trace, cell.kind)[cell.query];
  const vectors = vectorsView(t, worked, asking, tokens);
  const row = rowView(t, worked, tokens, choose);
  const weights = arithmetic.row.map(({ weight }) => weight);

  /**
   * What moves on the way to a frame.
   *
   * @type {Partial<Record<Frame, () => void>>}
   */
  const motions = {
    score() {
      flow(row.keys.map((key) => ({ from: vectors.query, to: key })));
      wipeIn(vectors.products);
    },
    softmax: () =>
      flow(row.bars.map((bar, i) => ({ from: bar, to: vectors.shares[i], strength: 1 }))),
    values() {
      flow(
        row.values.map((value, i) => ({ from: value, to: vectors.output, strength: weights[i] })),
      );
      wipeIn(vectors.output);
    },
    output: () => wipeIn(vectors.joined),
  };

  return {
    elements: [vectors.element, row.element],
    /**
     * @param {Frame} frame
     * @param {{onward?: boolean}} [how]  `onward`: it follows on the one that was shown
     */
    show(frame, { onward = false } = {}) {
      vectors.show(frame);
      row.show(frame, onward);
      if (onward && !isCalm()) motions[frame]?.();
    },
    ...{ focus: row.focus, reveal: row.reveal },
  };
}
