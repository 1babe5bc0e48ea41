/** What a beam is made of: the rays from the words that ask to the words that are looked at. */

import { firstVisible, isAhead, isMasked, predicts, visibleKeys } from "./kinds.js";
import { headWeights, maskAt } from "./weights.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Choice } from "./choice.js" */

/** @typedef {{head: number, query: number, key: number, weight: number}} Ray  `head`: which of the choices */

/**
 * The focus whose rays are shown: a row, or with `key` alone a column.
 *
 * @typedef {{query: number, key: null} | {query: null, key: number}} Focus
 */

/** Less than this of a row is not drawn: a hair that nobody could follow. */
export const LEAST = 0.01;

/**
 * The rays of a row, or those that reach a column; smaller ones than `LEAST` are left out.
 *
 * @param {import("./weights.js").Weights} weights
 * @param {Kind} kind
 * @param {Choice[]} choices
 * @param {Focus} focus
 * @param {number} last  the last row that may be shown
 * @returns {Ray[]}
 */
export function raysOf(weights, kind, choices, { query, key }, last = weights.queries - 1) {
  const { queries, keys } = weights;
  /** @type {Ray[]} */
  const rays = [];
  for (const [head, choice] of choices.entries()) {
    const values = headWeights(weights, choice);
    const causal = maskAt(weights, choice);
    const rows = query === null ? [0, queries] : [query, query + 1];
    for (let row = rows[0]; row < rows[1]; row++) {
      if (isAhead(kind, row, last)) break;
      const from = key ?? firstVisible(kind, row, causal);
      const end = key === null ? visibleKeys(kind, row, keys, causal) : key + 1;
      for (let column = from; column < end; column++) {
        const weight = values[row * keys + column];
        if (weight >= LEAST && !isMasked(kind, row, column, causal)) {
          rays.push({ head, query: row, key: column, weight });
        }
      }
    }
  }
  return rays;
}

/**
 * Where in the lower row the rays of a query begin: at the word that it writes, which stands behind
 * the one that it reads; in the encoder at the word itself.
 *
 * @param {Pick<import("./kinds.js").Tokens, "tgt_in" | "tgt_out">} tokens
 * @param {Kind} kind
 * @param {number} query
 */
export function lampOf({ tgt_in, tgt_out }, kind, query) {
  if (kind === "encoder_self" || !predicts({ tgt_out })) return query;
  // Where nobody knows what was written, and nothing was read after it.
  return tgt_out[query] || query + 1 < tgt_in.length ? query + 1 : query;
}
