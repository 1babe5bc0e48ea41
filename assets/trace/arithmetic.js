/** How one weight came about, in numbers: from a query and a key to the head's output. */

import { isMasked } from "./kinds.js";
import { dot as product } from "./vectors.js";

/** What is worked out one after another, as at a blackboard. */
export const FRAMES = /** @type {const} */ ([
  ...["vectors", "score", "scale", "exp", "softmax", "values", "output"],
]);

/** @typedef {typeof FRAMES[number]} Frame */
/** @typedef {"query" | "key" | "value" | "scores" | "weights"} Quantity */
/** @typedef {Record<Quantity, import("./unpack.js").PackedArray>} PackedNumbers */
/** @typedef {Record<Quantity, Float32Array[]>} HeadNumbers  each a list of rows */

/**
 * A key of the row: `dot` is its product with the query, `exp` e to the score less the row's largest.
 *
 * @typedef {{dot: number, score: number, exp: number, weight: number, masked: boolean}} Term
 */

/**
 * @typedef {object} Arithmetic
 * @property {Float32Array} query
 * @property {Float32Array} key
 * @property {Float32Array} value
 * @property {number[]} products  of query and key, number by number
 * @property {number} dot  their sum
 * @property {number} scaled  divided by the square root of their number
 * @property {Term[]} row  one for each key of the row
 * @property {number} largest  score of those that may be seen
 * @property {number} sum  of the row's exponentials
 * @property {number} computed  what the softmax makes of the cell's score
 * @property {number} weight  what the model used
 * @property {boolean} masked
 * @property {boolean} changed  an intervention parts the two
 * @property {number[]} share  of the value that the weight brings
 * @property {number[]} output  the head's, for the whole row
 */

/** An intervention, not rounding, is what parts a weight from its arithmetic by more. */
const TOLERANCE = 1e-3;

/**
 * The arithmetic of one cell: its row's products, their softmax, and its share of the value.
 *
 * @param {HeadNumbers} numbers
 * @param {{kind: import("./kinds.js").Kind, query: number, key: number}} cell
 * @param {import("./kinds.js").Causal} [causal]
 * @returns {Arithmetic}
 */
export function workOut(numbers, cell, causal = true) {
  const [query, key, value] = [
    numbers.query[cell.query],
    numbers.key[cell.key],
    numbers.value[cell.key],
  ];
  const [scores, weights] = [numbers.scores[cell.query], numbers.weights[cell.query]];
  const products = Array.from(query, (x, i) => x * key[i]);
  const dot = total(products);
  const scaled = dot / Math.sqrt(query.length);

  const hidden = (/** @type {number} */ i) => isMasked(cell.kind, cell.query, i, causal);
  const largest = Math.max(...scores.filter((_, i) => !hidden(i)));
  const row = Array.from(weights, (weight, i) => {
    const [masked, score] = [hidden(i), scores[i]];
    const exp = masked ? 0 : Math.exp(score - largest);
    return { dot: product(query, numbers.key[i]), score, exp, weight, masked };
  });
  const sum = total(row.map(({ exp }) => exp));
  const { exp, weight, score, masked } = row[cell.key];
  const computed = exp / sum;
  return {
    ...{ query, key, value, products, dot, scaled, row, largest, sum, computed, weight, masked },
    changed: Math.abs(computed - weight) > TOLERANCE || Math.abs(scaled - score) > TOLERANCE,
    share: Array.from(value, (x) => weight * x),
    output: Array.from(value, (_, i) =>
      total(row.map((term, k) => term.weight * numbers.value[k][i])),
    ),
  };
}

/** The sum of numbers. @param {number[]} values */
export function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
