/** What a model nearly said: the likeliest tokens of a step (`transformer/decoding/candidates.py`). */

import { logSum } from "../model/product.js";
import { chances, ranked } from "./sampling.js";

/** @import { Sampling } from "../../trace/trace.js" */

/** Candidates of each step that are kept. */
export const TOP_K = 10;

/**
 * `probability` is the model's own; `drawn` that in the distribution that was sampled.
 *
 * @typedef {{id: number, probability: number, drawn: number | null}} Candidate
 */

/**
 * The best tokens, the best first, and after them the emitted one if it is none of them.
 *
 * @param {Float32Array} logits  [vocabulary]
 * @param {number} emitted
 * @param {number} topK
 * @param {Sampling | null} sampling
 * @returns {Candidate[]}
 */
export function candidatesOf(logits, emitted, topK, sampling) {
  if (!topK) return [];
  const best = ranked(logits, Math.min(topK, logits.length));
  const ids = best.includes(emitted) ? best : [...best, emitted];
  const log = logSum(logits);
  const drawn = sampling ? chances(logits, sampling, ids) : null;
  return ids.map((id, i) => ({
    id,
    probability: Math.fround(Math.exp(logits[id] - log)),
    drawn: drawn?.[i] ?? null,
  }));
}
