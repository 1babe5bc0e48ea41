/**
 * What rows give to no key at all: the sink of models that have one. It is shown as a column before the
 * first key, and is never one of the keys.
 */

import { hasMask, isMasked } from "./kinds.js";
import { headWeights, maskAt, sinkOf } from "./weights.js";

/** @import { Choice } from "./choice.js" */
/** @import { Causal, Kind } from "./kinds.js" */
/** @import { Weights } from "./weights.js" */

/** Where the sink stands among the keys. */
export const SINK = -1;

/** Whether some layer has a sink. @param {Pick<Weights, "sinks">} weights */
export function hasSink({ sinks }) {
  return sinks?.some((sink) => sink !== null) ?? false;
}

/** One column in so many keys: among hundreds a single one would not be seen. */
const WIDE = 64;

/**
 * Columns before the keys', which the sink takes.
 *
 * @param {Pick<Weights, "sinks" | "keys">} weights
 */
export function sinkColumns(weights) {
  return hasSink(weights) ? Math.ceil(weights.keys / WIDE) : 0;
}

/**
 * A head as its matrix shows it: of weights that have a sink, with its columns before the keys'.
 *
 * @param {Weights} weights
 * @param {Kind} kind
 * @param {Choice} choice
 * @returns {{values: Float32Array, queries: number, keys: number, causal: Causal | undefined}}
 */
export function shownMatrix(weights, kind, choice) {
  const { queries, keys } = weights;
  const [values, causal] = [headWeights(weights, choice), maskAt(weights, choice)];
  const sink = sinkOf(weights, choice);
  if (!sink) return { values, queries, keys, causal };
  const before = sinkColumns(weights);
  const wide = keys + before;
  const whole = new Float32Array(queries * wide);
  const allowed = new Uint8Array(queries * wide).fill(1);
  for (let query = 0; query < queries; query++) {
    whole.fill(sink[query], query * wide, query * wide + before);
    whole.set(values.subarray(query * keys, (query + 1) * keys), query * wide + before);
    if (!hasMask(kind, keys, causal)) continue;
    for (let key = 0; key < keys; key++) {
      allowed[query * wide + before + key] = Number(!isMasked(kind, query, key, causal));
    }
  }
  return { values: whole, queries, keys: wide, causal: { keys: wide, allowed } };
}
