/** Every head small: so few cells that all heads of a large model travel, and are drawn, at once. */

import { everyHead } from "./choice.js";
import { hasMask, isMasked } from "./kinds.js";
import { shownMatrix } from "./sinks.js";
import { head, headIndex } from "./weights.js";

/** @import { Causal, Kind } from "./kinds.js" */
/** @import { Weights } from "./weights.js" */

/** Cells along a side at most. */
const SIDE = 32;

/**
 * The largest of cells that fall together, in 255ths, rounded up: what is there is seen.
 *
 * @typedef {{rows: number, keys: number, bytes: Uint8Array}} Thumbnail  [row, key]
 */

/** Heads of a kind from which on they are seen in an overview of their own. */
const MANY = 100;

/** Whether heads are so many that they are seen in an overview. @param {import("./choice.js").Size} size */
export function areManyHeads(size) {
  return everyHead(size).length >= MANY;
}

/** @type {WeakMap<Weights, Map<number, Thumbnail>>} */
const thumbnails = new WeakMap();

/**
 * A small picture of one head.
 *
 * @type {(weights: Weights, layer: number, head: number) => Thumbnail | null}  null: neither it nor the
 *   head is here
 */
export function thumbnail(weights, layer, number) {
  const own = thumbnails.get(weights) ?? new Map();
  thumbnails.set(weights, own);
  const index = headIndex(weights, layer, number);
  const picture = own.get(index) ?? thumbnailOf(weights, layer, number, index);
  if (picture) own.set(index, picture);
  return picture;
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
 * Shrinks one head's weights to a small picture.
 *
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

/**
 * A head that is not here yet, as its thumbnail tells: what fell together is alike. Of several heads
 * joined nothing is known.
 *
 * @param {Weights} weights
 * @param {Kind} kind
 * @param {import("./choice.js").Choice} choice
 * @returns {ReturnType<typeof shownMatrix>}
 */
export function previewOf(weights, kind, choice) {
  const { queries, keys } = weights;
  const blank = shownMatrix(weights, kind, choice);
  if (typeof choice.layer === "string" || typeof choice.head === "string") return blank;
  const small = thumbnail(weights, choice.layer, choice.head);
  if (!small) return blank;
  const column = columnsOf(keys, small.keys);
  const before = blank.keys - keys;
  for (let query = 0; query < queries; query++) {
    const start = Math.floor((query * small.rows) / queries) * small.keys;
    for (let key = 0; key < keys; key++) {
      blank.values[query * blank.keys + before + key] = small.bytes[start + column[key]] / 255;
    }
  }
  return blank;
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
  const isWhole = !hasMask(kind, keys, causal);
  if (isWhole) return new Uint8Array(rows * columns);
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
