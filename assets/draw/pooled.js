/** A matrix in fewer cells than it has, for where it is drawn smaller: each the largest that lies in it. */

import { firstVisible, isMasked, visibleKeys } from "../trace/kinds.js";

/**
 * A part of a matrix: some rows and columns, from a first one.
 *
 * @typedef {{row: number, rows: number, column: number, columns: number}} Part
 */

/**
 * Masked cells count for nothing; a cell of which all are masked is NaN. Of as many cells as there are,
 * each is itself.
 *
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number, kind: import("../trace/kinds.js").Kind, causal?: import("../trace/kinds.js").Causal}} head
 *   so many of its queries, from the first
 * @param {{width: number, height: number}} size  cells across and down
 * @param {Part} [part]  of the matrix; by default all
 * @returns {Float32Array}
 */
export function pooled(values, { queries, keys, kind, causal }, { width, height }, part) {
  const { row: top, rows, column, columns } = part ?? wholeOf(queries, keys);
  const most = new Float32Array(width * height).fill(Number.NaN);
  const places = Uint16Array.from({ length: columns }, (_, i) => Math.floor((i * width) / columns));
  const cells = typeof causal === "object";
  for (let query = top; query < top + rows; query++) {
    const row = Math.floor(((query - top) * height) / rows) * width;
    const end = Math.min(column + columns, visibleKeys(kind, query, keys, causal));
    const from = Math.max(column, firstVisible(kind, query, causal));
    for (let key = from; key < end; key++) {
      if (cells && isMasked(kind, query, key, causal)) continue;
      const value = values[query * keys + key];
      const at = row + places[key - column];
      if (!(most[at] >= value)) most[at] = value;
    }
  }
  return most;
}

/** All rows and columns of a matrix. @type {(queries: number, keys: number) => Part} */
export function wholeOf(queries, keys) {
  return { row: 0, rows: queries, column: 0, columns: keys };
}
