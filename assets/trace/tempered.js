/**
 * How likely a step's tokens would be at another temperature, or drawn from a nucleus: exactly, though
 * only the fifty likeliest of them are told.
 */

import { unpackMatrix } from "./unpack.js";

/** @import { Answers } from "./answers.d.ts" */

/**
 * @typedef {object} Tempering
 * @property {number} temperature  one of those that are told
 * @property {number} top_p  above 0, at most 1
 */

/** @type {Tempering} */
export const AS_IT_IS = { temperature: 1, top_p: 1 };

/**
 * The distribution of a step at another temperature and top-p.
 *
 * @param {Answers["distribution"]} distribution
 * @param {number} step
 * @param {Tempering} tempering
 * @returns {{share: (id: number, probability: number) => number, beyond: boolean}}  of a token, by its id
 *   and the model's own probability; `beyond`: the nucleus reaches past the fifty, so nothing is cut off
 */
export function tempered({ ids, logits, temperatures, log_sum }, step, { temperature, top_p }) {
  const [best, sums] = [unpackMatrix(logits), unpackMatrix(log_sum)];
  const sumAt = (/** @type {number} */ warmth) => {
    const column = temperatures.findIndex((each) => Math.abs(each - warmth) < 1e-6);
    return sums.values[step * sums.columns + column];
  };
  const [sum, own] = [sumAt(temperature), sumAt(1)];
  /** @param {number} logit */
  const shareOf = (logit) => Math.exp(logit / temperature - sum);
  const shares = ids[step].map((_, i) => shareOf(best.values[step * best.columns + i]));
  const all = 1 - 1e-6; // of a vocabulary of fifty, and of what float32 tells the rest of
  let inside = 0;
  /** @type {Set<number>} */
  const nucleus = new Set();
  for (const [i, id] of ids[step].entries()) {
    if (inside >= top_p) break;
    inside += shares[i];
    nucleus.add(id);
  }
  const beyond = top_p < 1 && inside < Math.min(top_p, all);
  const cut = top_p < 1 && !beyond;
  return {
    beyond,
    share(id, probability) {
      if (cut && !nucleus.has(id)) return 0;
      const place = ids[step].indexOf(id);
      // Another token's logit follows from the probability that the model gave it.
      const share = place < 0 ? shareOf(Math.log(probability) + own) : shares[place];
      return cut ? share / inside : share;
    },
  };
}
