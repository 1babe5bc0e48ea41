/** Where a model's first minute takes place: a sentence, a step, its word, and another to look at. */

import { wordsOf } from "./whole_words.js";

/** @import { Trace } from "./trace.js" */

/**
 * What a model's card says of it, measured with its weights (`transformer/measure/first_minute.py`).
 *
 * @typedef {object} Start
 * @property {string} source
 * @property {number} step  from 1
 * @property {string} word  of the source, at which the representative head looks there
 * @property {string} elsewhere  the one that makes the step say something else
 * @property {boolean} [found]  in the text that is shown, as no card names another
 */

/** @typedef {{step: number, word: number[], elsewhere: number[]}} Places  the step from 0, the words by their pieces */

/**
 * Reads the first minute of a model's card.
 *
 * @param {unknown} value  by a card, which anybody may have written
 * @returns {Start | null}
 */
export function readStart(value) {
  if (typeof value !== "object" || value === null) return null;
  const { source, step, word, elsewhere } = /** @type {Partial<Record<string, unknown>>} */ (value);
  const named = [source, word, elsewhere].every((text) => typeof text === "string" && text);
  return named && Number.isInteger(step) && Number(step) > 1 ? /** @type {Start} */ (value) : null;
}

/**
 * Where the first minute's words and step are in a trace.
 *
 * @param {Start} start
 * @param {Pick<Trace, "source" | "src" | "tgt_out">} trace
 * @returns {Places | null}  null if this is another sentence
 */
export function placesOf({ source, step, word, elsewhere }, trace) {
  const { words, pieces } = wordsOf(trace.src);
  const [at, other] = [word, elsewhere].map((text) => pieces[words.indexOf(text)]);
  const there = trace.source === source && step <= trace.tgt_out.length;
  return there && at && other ? { step: step - 1, word: at, elsewhere: other } : null;
}
