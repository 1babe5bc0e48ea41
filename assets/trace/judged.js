/** The tokens that a model says something of: those that it writes, or those that are hidden from it. */

/** @import { Trace } from "./trace.js" */

/**
 * @typedef {object} Judged
 * @property {number[]} rows  where each stands in the walk
 * @property {string[]} reads  what stands in a row
 * @property {string[]} says  the token that is judged there
 */

/**
 * Judged tokens in the order in which analyses tell of them.
 *
 * @param {Pick<Trace, "src" | "tgt_in" | "tgt_out" | "hidden">} trace
 * @returns {Judged}
 */
export function judgedOf({ src, tgt_in, tgt_out, hidden = [] }) {
  if (tgt_in.length) return { rows: tgt_in.map((_, row) => row), reads: tgt_in, says: tgt_out };
  return {
    rows: hidden.map(({ at }) => at),
    reads: hidden.map(({ at }) => src[at]),
    says: hidden.map(({ token }) => token),
  };
}

/**
 * Which of them stands at a step; of an encoder that is at a word that it sees, the first hidden one.
 *
 * @param {Pick<Trace, "src" | "tgt_in" | "tgt_out" | "hidden">} trace
 * @param {number} step
 */
export function judgedAt(trace, step) {
  return Math.max(0, judgedOf(trace).rows.indexOf(step));
}
