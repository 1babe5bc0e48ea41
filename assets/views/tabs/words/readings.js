/** What each reading needs of the server, and the numbers that it gives. */

import { visibleKeys } from "../../../trace/kinds.js";
import { unpackMatrix, unpackWeights } from "../../../trace/unpack.js";
import { headWeights } from "../../../trace/weights.js";
import { atUnits, byUnit, unitsOf } from "../../../trace/words.js";

/** @typedef {import("../../../state/state.js").State} State */
/** @typedef {import("../../../trace/trace.js").Trace} Trace */
/** @typedef {import("../../../trace/words.js").Numbers} Numbers */
/** @typedef {import("../../../trace/words.js").Words} Words */
/** @typedef {import("../../../trace/kinds.js").Kind} Kind */
/** @typedef {State["words"]["reading"]} Reading */

/** The readings whose numbers are of one head, or of several joined. */
const OF_HEADS = /** @type {Reading[]} */ (["attention", "alignment", "value_norms"]);

/** @param {Reading} reading */
export function isOfHead(reading) {
  return OF_HEADS.includes(reading);
}

/**
 * The attention in which the source is read; of a decoder alone, its own text.
 *
 * @param {Trace} trace
 * @returns {Kind}
 */
export function readingKind({ weights }) {
  return weights.cross ? "cross" : "decoder_self";
}

/**
 * The head whose numbers a reading shows, or its layer; undefined if it is of no one's.
 *
 * @type {(trace: Trace, reading: Reading, heads: State["heads"]) => unknown}
 */
export function readHead(trace, reading, heads) {
  const chosen = heads[readingKind(trace)];
  if (isOfHead(reading)) return chosen;
  return reading === "value_zeroing" ? chosen?.layer : undefined;
}

/**
 * Everything known of the words of a trace, numbers unpacked.
 *
 * @typedef {object} Known
 * @property {Trace} trace
 * @property {Words} words  that a translation can rest on
 * @property {Words} tgt  what was emitted
 * @property {import("../../../trace/words.js").Unit[]} units  the columns of a matrix of words
 * @property {Numbers} deltas  [tgt, unit] of log-probability, nats; NaN for what is no word
 * @property {Numbers} numbers  [tgt, token] of the reading; of leaving out, [tgt, unit]
 * @property {number[] | null} fromSource  [tgt] shares; null for a decoder-only model
 */

/**
 * @param {import("../../../state/analyses.js").Analyse} analyse
 * @param {State} state  with a trace
 * @returns {Promise<{known: Known} | {error: import("../../../state/server.js").Problem | undefined}>}
 */
export async function readWords(analyse, { trace, words: { reading }, heads }) {
  if (!trace) return { error: undefined };
  const kind = readingKind(trace);
  const asked = reading === "value_norms" || reading === "value_zeroing" ? reading : null;
  const answers = await Promise.all([
    analyse("words"),
    analyse("leave_one_out"),
    analyse("contributions"),
    ...(asked ? [analyse(asked, { kind })] : []),
  ]);
  const failed = answers.find(({ inside }) => !inside);
  if (failed) return { error: failed.error };
  const [words, left, shares, extra] = answers.map(({ inside }) => inside);
  const alone = kind === "decoder_self";
  const sources = alone ? words.tgt_in : words.src;
  const units = unitsOf(sources, alone ? trace.tgt_in : trace.src);
  const deltas = atUnits(unpackMatrix(left.deltas), units);
  const choice = heads[kind] ?? { layer: 0, head: 0 };
  /** @type {Record<Reading, () => Numbers>} */
  const numbers = {
    attention: () => ofHead(trace.weights[kind], choice),
    alignment: () => ofHead(trace.weights[kind], choice),
    contributions: () => unpackMatrix(alone ? shares.prefix : shares.source),
    value_norms: () => ofHead(unpackWeights(extra.norms), choice),
    leave_one_out: () => deltas,
    value_zeroing: () => ofHead(unpackWeights(extra.shares), { layer: choice.layer, head: 0 }),
  };
  const found = numbers[reading]();
  return {
    known: {
      ...{ trace, words: sources, tgt: words.tgt_out, units, deltas },
      numbers: alone && reading !== "leave_one_out" ? unseen(found) : found,
      fromSource: shares.source ? rowSums(unpackMatrix(shares.source)) : null,
    },
  };
}

/**
 * A reading of tokens as one of words and what stands between them, [tgt, unit].
 *
 * @param {Known} known
 * @param {Reading} reading
 */
export function ofUnits({ numbers, units }, reading) {
  return reading === "leave_one_out" ? numbers : byUnit(numbers, units);
}

/**
 * @param {import("../../../trace/weights.js").Weights | undefined} weights
 * @param {import("../../../trace/heads.js").Choice} choice
 * @returns {Numbers}
 */
function ofHead(weights, choice) {
  if (!weights) throw new TypeError("the trace has no such attention");
  return { rows: weights.queries, columns: weights.keys, values: headWeights(weights, choice) };
}

/**
 * What a decoder has not read yet is no number.
 *
 * @param {Numbers} numbers
 * @returns {Numbers}
 */
function unseen({ rows, columns, values }) {
  const seen = values.map((value, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    return column < visibleKeys("decoder_self", row, columns) ? value : Number.NaN;
  });
  return { rows, columns, values: seen };
}

/** @param {Numbers} numbers */
function rowSums({ rows, columns, values }) {
  return Array.from({ length: rows }, (_, row) =>
    values.subarray(row * columns, (row + 1) * columns).reduce((sum, x) => sum + x, 0),
  );
}
