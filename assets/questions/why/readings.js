/** What each reading of all steps needs of the server, if anything, and the numbers that it gives. */

import { whyNot } from "../../parts/needs.js";
import { visibleKeys } from "../../trace/kinds.js";
import { readingKind } from "../../trace/trace.js";
import { unpackMatrix, unpackWeights } from "../../trace/unpack.js";
import { headWeights } from "../../trace/weights.js";
import { wordsIn, wordsOf } from "../../trace/whole_words.js";
import { atUnits, byUnit, unitsOf } from "../../trace/words.js";

/** @import { State } from "../../state/state.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Numbers, Words } from "../../trace/words.js" */
/** @typedef {import("./settings.js").WordSettings["reading"]} Reading */

/** The readings whose numbers are of one head, or of several joined. */
const OF_HEADS = /** @type {Reading[]} */ (["attention", "alignment", "value_norms"]);

/** @param {Reading} reading */
export function isOfHead(reading) {
  return OF_HEADS.includes(reading);
}

/**
 * Why a reading, which bears the name of the analysis that tells it, is not one for what is shown.
 *
 * @param {Reading} reading
 * @param {import("../../parts/needs.js").Shown} state
 */
export function readingRefused(reading, state) {
  return whyNot({ name: reading, needs: ["judged"], ask: [] }, state);
}

/**
 * The reading that is shown: of tokens that are hidden, not written, only one tells; and without a second text
 * nothing is aligned.
 *
 * @type {(trace: Trace, chosen: Reading) => Reading}
 */
export function readingOf({ tgt_in, weights }, chosen) {
  if (!tgt_in.length) return "gradients";
  return chosen === "alignment" && !weights.cross ? "attention" : chosen;
}

/** Whether a token can be asked against another one. @param {State} state */
export function mayAskAgainst(state) {
  return !whyNot({ name: "why", needs: ["judged"], ask: [] }, state);
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
 * What the server says of the words of a trace.
 *
 * @typedef {object} WordAnswers
 * @property {Numbers} deltas  [tgt, word] of log-probability without it, nats
 * @property {Numbers | null} source  [tgt, src] shares; null for a decoder-only model, or where none are told
 * @property {Numbers | null} prefix  [tgt, tgt]
 * @property {import("../../trace/weights.js").Weights | null} values  norms of values, or what zeroing
 *   them changes, for the readings that are these
 */

/**
 * @param {import("../../state/server/about.js").About} about  a trace
 * @param {import("../../parts/needs.js").Shown} state
 * @param {Reading} reading
 * @param {import("../../trace/kinds.js").Kind} kind
 * @returns {Promise<WordAnswers>}
 */
export async function askWords({ inside }, state, reading, kind) {
  const ofValues = reading === "value_norms" || reading === "value_zeroing" ? reading : null;
  const shares = !readingRefused("contributions", state);
  const [{ deltas }, shared, extra] = await Promise.all([
    inside("leave_one_out"),
    shares ? inside("contributions") : null,
    ofValues && inside(ofValues),
  ]);
  const packed = extra?.[kind] ?? null;
  return {
    deltas: unpackMatrix(deltas),
    source: shared?.source ? unpackMatrix(shared.source) : null,
    prefix: shared && unpackMatrix(shared.prefix),
    values: packed && unpackWeights(packed),
  };
}

/**
 * Everything known of the words of a trace.
 *
 * @typedef {object} Facts
 * @property {Trace} trace
 * @property {import("../../trace/choice.js").Choice} choice  whose the reading is, if it is a head's
 * @property {Words} words  that a translation can rest on
 * @property {Words} tgt  what was emitted
 * @property {import("../../trace/words.js").Unit[]} units  the columns of a matrix of words
 * @property {Numbers | null} deltas  [tgt, unit] of log-probability, nats; NaN for what is no word
 * @property {Numbers} numbers  [tgt, token] of the reading; of leaving out, [tgt, unit]
 * @property {number[] | null} fromSource  [tgt] shares; null for a decoder-only model, too
 */

/**
 * @param {Trace} trace
 * @param {Exclude<Reading, "gradients">} reading
 * @param {State["heads"]} heads
 * @param {WordAnswers | null} answers  null: the server tells nothing
 * @returns {Facts | null}  null for a reading that needs what it tells
 */
export function knownWords(trace, reading, heads, answers) {
  const kind = readingKind(trace);
  const alone = kind === "decoder_self";
  const sources = alone ? trace.tgt_in : trace.src;
  const words = wordsIn(trace, sources, alone ? "tgt" : "src");
  const units = unitsOf(words, sources);
  const deltas = answers && atUnits(answers.deltas, units);
  const choice = heads[kind] ?? { layer: 0, head: 0 };
  /** @type {Record<Exclude<Reading, "gradients">, () => Numbers | null>} */
  const readings = {
    attention: () => ofHead(trace.weights[kind], choice),
    alignment: () => ofHead(trace.weights[kind], choice),
    contributions: () => answers && (alone ? answers.prefix : answers.source),
    value_norms: () => ofHead(answers?.values, choice),
    leave_one_out: () => deltas,
    value_zeroing: () => ofHead(answers?.values, { layer: choice.layer, head: 0 }),
  };
  const numbers = readings[reading]();
  return (
    numbers && {
      ...{ trace, choice, words, tgt: wordsOf(trace.tgt_out), units, deltas },
      numbers: alone && reading !== "leave_one_out" ? unseen(numbers) : numbers,
      fromSource: answers?.source ? rowSums(answers.source) : null,
    }
  );
}

/**
 * A reading of tokens as one of words and what stands between them, [tgt, unit].
 *
 * @param {Facts} facts
 * @param {Reading} reading
 */
export function ofUnits({ numbers, units }, reading) {
  return reading === "leave_one_out" ? numbers : byUnit(numbers, units);
}

/**
 * @param {import("../../trace/weights.js").Weights | null | undefined} weights
 * @param {import("../../trace/choice.js").Choice} choice
 * @returns {Numbers | null}
 */
function ofHead(weights, choice) {
  if (!weights) return null;
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
