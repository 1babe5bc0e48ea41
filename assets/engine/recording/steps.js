/**
 * The weights of many passes, step after step, put together as if they had been one
 * (`transformer/recording/steps.py`).
 */

import { stack, zeros } from "../model/tensors.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */

/** What every pass of a decode attended to: the encoder's one, and the decoder's, row by row. */
export class Steps {
  /** @type {Map<string, Tensor[][]>} */
  passes = new Map();

  /**
   * Keeps the weights of one layer's pass.
   *
   * @type {import("./hooks.js").Recording["capture"]}
   */
  capture(where, _site, layer, tensor) {
    const passes = this.passes.get(where) ?? [];
    this.passes.set(where, passes);
    if (layer === 0) passes.push([]);
    passes[passes.length - 1].push(tensor);
  }

  /**
   * @param {Kind} kind
   * @returns {Tensor | null}  [layer, head, query, key], 0 where a query came before a key; null if
   *   there was no pass
   */
  weightsOf(kind) {
    const passes = this.passes.get(kind);
    if (!passes) return null;
    if (passes.length === 1) return stack(passes[0]);
    const [heads] = passes[0][0].shape;
    const queries = passes.reduce((sum, [{ shape }]) => sum + shape[1], 0);
    const keys = passes[passes.length - 1][0].shape[2];
    const whole = zeros(passes[0].length, heads, queries, keys);
    let start = 0;
    for (const layers of passes) {
      const [, rows, seen] = layers[0].shape;
      for (const [layer, { values }] of layers.entries()) {
        for (let head = 0; head < heads; head++) {
          for (let row = 0; row < rows; row++) {
            const from = (head * rows + row) * seen;
            const to = ((layer * heads + head) * queries + start + row) * keys;
            whole.values.set(values.subarray(from, from + seen), to);
          }
        }
      }
      start += rows;
    }
    return whole;
  }
}
