/** What ÷√d_head is for: the same head's scores, had it more numbers or fewer. */

import { firstVisible, visibleKeys } from "./kinds.js";

/** @import { Causal, Kind } from "./kinds.js" */

/**
 * Scores before the division. Of a head's own size they are its own; of another, so many of its own
 * products are drawn, with replacement, the same for every key.
 *
 * @param {Float32Array | number[]} query
 * @param {(Float32Array | number[])[]} keys
 * @param {number} size
 * @param {number} [seed]
 * @returns {number[]}
 */
export function scoresOfSize(query, keys, size, seed = 1) {
  const random = generator(seed);
  const own = query.length;
  const drawn = Array.from({ length: size }, (_, i) =>
    size === own ? i : Math.floor(random() * own),
  );
  return keys.map((key) => drawn.reduce((sum, i) => sum + query[i] * key[i], 0));
}

/**
 * A row of a head's weights, had the head so many numbers: with the division by √size and without.
 * Keys begin at `first`, the first one that the row may see.
 *
 * @param {{query: Float32Array[], key: Float32Array[]}} numbers  [token, d_head]
 * @param {{kind: Kind, row: number, causal?: Causal, size: number}} of
 */
export function scaledRow({ query, key }, { kind, row, causal, size }) {
  const first = firstVisible(kind, row, causal);
  const end = visibleKeys(kind, row, key.length, causal);
  const scores = scoresOfSize(query[row], key.slice(first, end), size);
  const scaled = softmax(scores.map((score) => score / Math.sqrt(size)));
  return { first, scores, without: softmax(scores), scaled };
}

/** The softmax of a row of scores. @param {number[]} scores */
export function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * Entropy in nats: 0 for a row that rests on one key, log n for one that is even.
 *
 * @param {number[]} weights
 */
export function entropy(weights) {
  return weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log(weight) : sum), 0);
}

/**
 * How far the weights still move when scores do: Σ w(1 − w), the trace of the softmax's Jacobian. A
 * row that rests on one key has none, so that training changes nothing.
 *
 * @param {number[]} weights
 */
export function gradient(weights) {
  return weights.reduce((sum, weight) => sum + weight * (1 - weight), 0);
}

/**
 * Mulberry32 by Tommy Ettinger (public domain): the same numbers on every machine.
 *
 * @param {number} seed
 */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
