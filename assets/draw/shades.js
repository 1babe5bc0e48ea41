/** What a cell's colour stands for: its weight, or that weight's rank among its row's. */

import { ranks } from "../trace/ranks.js";

/**
 * How full the colour of each cell is.
 *
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number, kind: import("../trace/kinds.js").Kind, causal?: import("../trace/kinds.js").Causal, coloring: import("./coloring.js").Coloring}} head
 * @returns {Float32Array}  each from 0 to 1
 */
export function shades(values, head) {
  return head.coloring.rank ? ranks(values, head) : values;
}
