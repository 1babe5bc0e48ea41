/** Every head small: so few cells that all heads of a large model travel, and are drawn, at once. */

import { isMasked } from "./kinds.js";
import { head, headIndex } from "./weights.js";

/** @import { Causal, Kind } from "./kinds.js" */
/** @import { Weights } from "./weights.js" */

/** Cells along a side at most. */
const SIDE = 32;

/**
 * Of cells that fall together the largest, in 255ths, rounded up: what is there is seen.
 *
 * @typedef {{rows: number, keys: number, bytes: Uint8Array}} Thumbnail  [row, key]
 */

/** @type {WeakMap<Weights, Map<number, Thumbnail>>} */
const made = new WeakMap();

/**
 * @type {(weights: Weights, layer: number, head: number) => Thumbnail | null}  null: neither it nor the
 *   head is here
 */
export function thumbnail(weights, layer, number) {
  const known = made.get(weights) ?? new Map();
  made.set(weights, known);
  const index = headIndex(weights, layer, number);
  const found = known.get(index) ?? thumbnailOf(weights, layer, number, index);
  if (found) known.set(index, found);
  return found;
}

/** @type {(weights: Weights, layer: number, number: number, index: number) => Thumbnail | null} */
function thumbnailOf(weights, layer, number, index) {
  if (weights.thumbnails) {
    const { rows, keys, bytes } = weights.thumbnails;
    return { rows, keys, bytes: bytes.subarray(index * rows * keys, (index + 1) * rows * keys) };
  }
  const values = head(weights, { layer, head: number });
  return values && smallOf(values, weights);
}

/**
 * @param {Float32Array} values  [query, key]
 * @param {{queries: number, keys: number}} size
 * @returns {Thumbnail}
 */
export function smallOf(values, { queries, keys }) {
  const [rows, columns] = [Math.min(SIDE, queries), Math.min(SIDE, keys)];
  const most = new Float32Array(rows * columns);
  const column = columnsOf(keys, columns);
  for (let query = 0; query < queries; query++) {
    const start = Math.floor((query * rows) / queries) * columns;
    for (let key = 0; key < keys; key++) {
      const value = values[query * keys + key];
      const at = start + column[key];
      if (value > most[at]) most[at] = value;
    }
  }
  return { rows, keys: columns, bytes: Uint8Array.from(most, (value) => Math.ceil(255 * value)) };
}

/** In which column each key falls. @type {(keys: number, columns: number) => Uint16Array} */
function columnsOf(keys, columns) {
  return Uint16Array.from({ length: keys }, (_, key) => Math.floor((key * columns) / keys));
}

/**
 * Which cells of a thumbnail may not be seen at all: all that fall together there are masked.
 *
 * @param {Kind} kind
 * @param {{queries: number, keys: number}} size  of the head
 * @param {Causal | undefined} causal
 * @param {{rows: number, keys: number}} small
 * @returns {Uint8Array}  [row, key]: 1 where it is masked
 */
export function smallMask(kind, { queries, keys }, causal, { rows, keys: columns }) {
  const masked = new Uint8Array(rows * columns).fill(1);
  const column = columnsOf(keys, columns);
  for (let query = 0; query < queries; query++) {
    const start = Math.floor((query * rows) / queries) * columns;
    for (let key = 0; key < keys; key++) {
      if (masked[start + column[key]] && !isMasked(kind, query, key, causal)) {
        masked[start + column[key]] = 0;
      }
    }
  }
  return masked;
}
