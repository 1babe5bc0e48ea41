/** Where each weight stands among those of its row. */

import { firstVisible, isMasked, visibleKeys } from "./kinds.js";

/**
 * Ranks weights within each row.
 *
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number, kind: import("./kinds.js").Kind, causal?: import("./kinds.js").Causal}} matrix
 * @returns {Float32Array}  for each value the share of its row that it exceeds: 0 for the row's
 *   smallest, 1 for its largest, the same for equals; 0 where it is masked
 */
export function ranks(values, { queries, keys, kind, causal }) {
  const result = new Float32Array(values.length);
  for (let query = 0; query < queries; query++) {
    const first = firstVisible(kind, query, causal);
    const count = visibleKeys(kind, query, keys, causal) - first;
    const start = query * keys + first;
    const row = values.subarray(start, start + count);
    const sorted = row.filter((_, i) => !isMasked(kind, query, first + i, causal)).sort();
    for (let key = 0; key < count; key++) {
      if (isMasked(kind, query, first + key, causal)) continue;
      const least = below(sorted, row[key]);
      let last = least;
      while (sorted[last + 1] === row[key]) last++;
      const rank = (least + last) / 2;
      result[start + key] = sorted.length > 1 ? rank / (sorted.length - 1) : 1;
    }
  }
  return result;
}

/** How many are smaller. @type {(sorted: Float32Array, value: number) => number} */
function below(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
