/** What a cell's colour stands for: its weight, or that weight's rank among its row's. */

import { isMasked } from "./trace.js";

/**
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number, kind: import("./trace.js").Kind, look: import("./color.js").Look}} head
 * @returns {Float32Array}  the same, or for each value the share of its row that it exceeds: 0 for
 *   the row's smallest, 1 for its largest, the same for equals
 */
export function shades(values, { queries, keys, kind, look }) {
  if (!look.rank) return values;
  const ranks = new Float32Array(values.length);
  for (let query = 0; query < queries; query++) {
    let count = keys;
    while (isMasked(kind, query, count - 1)) count--;
    const row = values.subarray(query * keys, query * keys + count);
    const sorted = row.slice().sort();
    for (let key = 0; key < count; key++) {
      const equals = sorted.lastIndexOf(row[key]) - sorted.indexOf(row[key]);
      const rank = sorted.indexOf(row[key]) + equals / 2;
      ranks[query * keys + key] = count > 1 ? rank / (count - 1) : 1;
    }
  }
  return ranks;
}
