/** A matrix in fewer cells than it has, for where it is drawn smaller: each the largest that lies in it. */

import { firstVisible, isMasked, visibleKeys } from "../trace/kinds.js";

/**
 * Masked cells count for nothing; a cell of which all are masked is NaN. Of as many cells as there are,
 * each is itself.
 *
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number, kind: import("../trace/kinds.js").Kind, causal?: import("../trace/kinds.js").Causal}} head
 *   so many of its queries, from the first
 * @param {{width: number, height: number}} size  cells across and down
 * @returns {Float32Array}
 */
export function pooled(values, { queries, keys, kind, causal }, { width, height }) {
  const most = new Float32Array(width * height).fill(Number.NaN);
  const columns = Uint16Array.from({ length: keys }, (_, key) => Math.floor((key * width) / keys));
  const cells = typeof causal === "object";
  for (let query = 0; query < queries; query++) {
    const row = Math.floor((query * height) / queries) * width;
    const visible = visibleKeys(kind, query, keys, causal);
    for (let key = firstVisible(kind, query, causal); key < visible; key++) {
      if (cells && isMasked(kind, query, key, causal)) continue;
      const value = values[query * keys + key];
      const at = row + columns[key];
      if (!(most[at] >= value)) most[at] = value;
    }
  }
  return most;
}
