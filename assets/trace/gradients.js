/** What gradients say of one prediction, word by word, beside what leaving the words out did to it. */

import { unpackMatrix } from "./unpack.js";
import { rowOf } from "./words.js";

/** The rows of the numbers: two readings, and what is lost without each word. */
export const ROWS = /** @type {const} */ (["input_times_gradient", "integrated_gradients", "lost"]);

const INTEGRATED = ROWS.indexOf("integrated_gradients");

/** @import { Answers } from "./answers.d.ts" */
/** @typedef {"source" | "prefix"} Words  whose they are */

/**
 * @typedef {object} Gradients
 * @property {import("./words.js").Numbers} numbers  [reading, word] in nats, of `ROWS`; NaN where no
 *   word was left out
 * @property {string[]} words  those of the source, then those that were written already
 * @property {number} sum  of all integrated gradients
 * @property {{word: string, part: number} | null} most  the word that adds most, or takes most away
 * @property {number} value  what is explained, nats
 * @property {number} baseline  the same without any word
 * @property {number} gap  the share that was missing before it was shared out
 * @property {string[]} compared  those of the words that were left out
 * @property {(row: number) => Float32Array} reading  a row of these
 */

/**
 * Reads an answer of gradients, beside what leaving out each word did.
 *
 * @param {Pick<Answers["gradients"], "value" | "baseline" | "gap" | Words | `${Words}_words`>} packed
 * @param {Float32Array} deltas  of what is explained, without each word that can be left out
 * @returns {Gradients}
 */
export function readGradients({ value, baseline, gap, ...packed }, deltas) {
  const [source, prefix] = [unpackMatrix(packed.source), unpackMatrix(packed.prefix)];
  const words = [...packed.source_words, ...packed.prefix_words];
  // Of a decoder alone, its own words are left out; the last of them may not be read yet.
  const compared = source.columns || Math.min(prefix.columns, deltas.length);
  const lost = words.map((_, i) => (i < compared ? -deltas[i] : Number.NaN));
  const read = [0, 1].flatMap((row) => [...rowOf(source, row), ...rowOf(prefix, row)]);
  const numbers = {
    ...{ rows: ROWS.length, columns: words.length },
    values: Float32Array.from([...read, ...lost]),
  };
  const integrated = [...rowOf(numbers, INTEGRATED)];
  const largest = integrated.reduce(
    (best, part, i) => (Math.abs(part) > Math.abs(integrated[best]) ? i : best),
    0,
  );
  return {
    ...{ numbers, words, value, baseline, gap },
    sum: integrated.reduce((sum, part) => sum + part, 0),
    most: words.length ? { word: words[largest], part: integrated[largest] } : null,
    compared: words.slice(0, compared),
    reading: (row) => rowOf(numbers, row).slice(0, compared),
  };
}
