/** Choosing the next token: the likeliest, or one drawn by lot (`transformer/decoding/sampling.py`). */

import { HeadlightError } from "../errors.js";
import { lots } from "./mersenne.js";

/** @import { Sampling } from "../../trace/trace.js" */
/** @typedef {(logits: Float32Array, position: number) => number} Choose */

/**
 * Refuses settings that are out of range.
 *
 * @param {Sampling} sampling
 * @returns {Sampling}
 * @throws {HeadlightError} a number is out of range
 */
export function checkSampling(sampling) {
  const { temperature, top_k, seed, top_p = 1 } = sampling;
  const fine = temperature > 0 && temperature <= 100 && top_k >= 0 && seed >= 0 && seed < 2 ** 63;
  if (!fine || !(top_p > 0 && top_p <= 1)) throw new HeadlightError("bad_sampling");
  return sampling;
}

/**
 * Makes what chooses the token of each step.
 *
 * @param {Sampling | null} sampling  null takes the likeliest
 * @param {number} maxLength  there are so many positions
 * @returns {Choose}  from logits [vocabulary] and their position to the token emitted
 */
export function chooser(sampling, maxLength) {
  if (!sampling) return largest;
  // The draw at a position depends on the seed and on that position alone.
  const drawn = lots(sampling.seed, maxLength);
  return (logits, position) => {
    const ids = ranked(logits, reach(sampling, logits.length));
    const shares = shared(ids, logits, sampling);
    let total = 0;
    const reached = shares.map((share) => (total += share));
    const place = reached.findIndex((sum) => sum > drawn[position] * total);
    return ids[place];
  };
}

/** The index of the largest number. @param {ArrayLike<number>} values */
export function largest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * The distribution that a token is drawn from, for some of them: 0 for what top-k and top-p leave out.
 *
 * @type {(logits: Float32Array, sampling: Sampling, of: number[]) => number[]}
 */
export function chances(logits, sampling, of) {
  const ids = ranked(logits, reach(sampling, logits.length));
  const shares = shared(ids, logits, sampling);
  const shareOf = new Map(ids.map((id, i) => [id, shares[i]]));
  return of.map((id) => Math.fround(shareOf.get(id) ?? 0));
}

/** @type {(sampling: Sampling, vocabulary: number) => number} */
function reach({ top_k }, vocabulary) {
  return Math.min(top_k || vocabulary, vocabulary);
}

/**
 * The ids of the largest, the largest first.
 *
 * @type {(values: Float32Array, count: number) => number[]}
 */
export function ranked(values, count) {
  if (count > 100) {
    const all = Array.from(values.keys());
    return all.sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
  }
  /** @type {number[]} */
  const best = [];
  for (let i = 0; i < values.length; i++) {
    if (best.length === count && !(values[i] > values[best[count - 1]])) continue;
    let at = best.length;
    while (at > 0 && values[best[at - 1]] < values[i]) at--;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

/** @type {(ids: number[], logits: Float32Array, sampling: Sampling) => number[]} */
function shared(ids, logits, { temperature, top_p = 1 }) {
  const shares = tempered(ids, logits, temperature);
  if (top_p === 1) return shares;
  let before = 0;
  const nucleus = shares.map((share) => {
    const inside = before < top_p;
    before += share;
    return inside ? share : 0;
  });
  const sum = nucleus.reduce((sum, share) => sum + share, 0);
  return nucleus.map((share) => share / sum);
}

/**
 * Less the largest first: a temperature near 0 makes no infinity of it.
 *
 * @param {number[]} ids  the largest first
 * @param {Float32Array} logits
 * @param {number} temperature
 */
function tempered(ids, logits, temperature) {
  const exps = ids.map((id) => Math.exp((logits[id] - logits[ids[0]]) / temperature));
  const sum = exps.reduce((sum, exp) => sum + exp, 0);
  return exps.map((exp) => exp / sum);
}
