/** Readings of a translation word by word: pieces added up, ranks compared, words aligned. */

import { dot } from "./vectors.js";

/**
 * Numbers of rows × columns in one run; NaN where there is none.
 *
 * @typedef {{rows: number, columns: number, values: Float32Array}} Numbers
 */

/**
 * The words of one side: their texts, and the indices of their tokens.
 *
 * @typedef {{words: string[], pieces: number[][]}} Words
 */

/**
 * What a matrix of words has columns for: every word, and every token that belongs to none.
 *
 * @typedef {{label: string, pieces: number[], word: number | null}} Unit
 */

/** What a word must change a log-probability by, in nats, for the order of the words to mean much. */
export const MATTERS = 0.1;

/** Two orders whose rank correlation is lower have little in common. */
export const AGREES = 0.5;

/**
 * In the order of the tokens.
 *
 * @type {(words: Words, tokens: string[]) => Unit[]}
 */
export function unitsOf({ words, pieces }, tokens) {
  const taken = new Set(pieces.flat());
  /** @type {Unit[]} */
  const units = pieces.map((own, word) => ({ label: words[word], pieces: own, word }));
  for (const [i, label] of tokens.entries()) {
    if (!taken.has(i)) units.push({ label, pieces: [i], word: null });
  }
  return units.sort((one, other) => one.pieces[0] - other.pieces[0]);
}

/**
 * Numbers of tokens, added up over the pieces of each unit.
 *
 * @param {Numbers} numbers  [row, token]
 * @param {Unit[]} units
 * @returns {Numbers}  [row, unit]
 */
export function byUnit({ rows, columns, values }, units) {
  const sums = new Float32Array(rows * units.length);
  for (let row = 0; row < rows; row++) {
    for (const [i, { pieces }] of units.entries()) {
      sums[row * units.length + i] = pieces.reduce((sum, k) => sum + values[row * columns + k], 0);
    }
  }
  return { rows, columns: units.length, values: sums };
}

/**
 * Numbers of words, where each word's unit is.
 *
 * @param {Numbers} numbers  [row, word]
 * @param {Unit[]} units
 * @returns {Numbers}  [row, unit]; NaN for what is no word
 */
export function atUnits({ rows, columns, values }, units) {
  const spread = new Float32Array(rows * units.length).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    for (const [i, { word }] of units.entries()) {
      if (word !== null) spread[row * units.length + i] = values[row * columns + word];
    }
  }
  return { rows, columns: units.length, values: spread };
}

/** @type {(numbers: Numbers, row: number) => Float32Array} */
export function rowOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}

/**
 * How far two readings of a row order its words alike (Spearman 1904): −1 to 1. What is NaN in
 * either is left out; null where fewer than two are left, or one reading ranks all of them alike.
 *
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
export function rankCorrelation(one, other) {
  const both = Array.from(one, (_, i) => i).filter(
    (i) => !Number.isNaN(one[i]) && !Number.isNaN(other[i]),
  );
  const [a, b] = [one, other].map((row) => centred(rank(both.map((i) => row[i]))));
  const size = Math.sqrt(dot(a, a) * dot(b, b));
  return size > 0 ? dot(a, b) / size : null;
}

/**
 * How far a reading of a row agrees with leaving words out; null where no word matters, or nothing
 * can be said.
 *
 * @param {ArrayLike<number>} reading  the larger, the more the row rests on the word
 * @param {ArrayLike<number>} deltas  of log-probability without each word, nats
 */
export function agreement(reading, deltas) {
  const largest = Math.max(0, ...Array.from(deltas, (x) => (Number.isNaN(x) ? 0 : Math.abs(x))));
  if (largest < MATTERS) return null;
  return rankCorrelation(
    reading,
    Array.from(deltas, (x) => -x),
  );
}

/**
 * Attention as a word aligner (Chen et al. 2020; "reads" is their Shift-Att): of each target word,
 * attention added up over a source word's pieces, mean over its own.
 *
 * @param {Numbers} weights  [tgt, src], of one head or several joined
 * @param {Words} src
 * @param {Words} tgt  of what was emitted
 * @param {"reads" | "predicts"} row  that counts as a target token's: the one whose query it is, or
 *   the one that predicts it, a step earlier
 * @returns {{numbers: Numbers, links: number[], words: number[]}}  [tgt word, src word]; the source
 *   word that each is linked to; and which target words these are: what was emitted last has not
 *   been read
 */
export function alignWords({ rows, columns, values }, src, tgt, row) {
  const shift = row === "reads" ? 1 : 0;
  const words = tgt.pieces
    .map((own, word) => ({ word, own: own.filter((piece) => piece + shift < rows) }))
    .filter(({ own }) => own.length > 0);
  const sums = new Float32Array(words.length * src.pieces.length);
  for (const [j, { own }] of words.entries()) {
    for (const [i, pieces] of src.pieces.entries()) {
      let sum = 0;
      for (const query of own) {
        for (const key of pieces) sum += values[(query + shift) * columns + key];
      }
      sums[j * src.pieces.length + i] = sum / own.length;
    }
  }
  const numbers = { rows: words.length, columns: src.pieces.length, values: sums };
  const links = words.map((_, j) => {
    const weights = rowOf(numbers, j);
    return weights.indexOf(Math.max(...weights));
  });
  return { numbers, links, words: words.map(({ word }) => word) };
}

/**
 * 1 for the smallest; equal numbers share the mean of their ranks.
 *
 * @param {number[]} row
 */
function rank(row) {
  return row.map((x) => {
    const [less, equal] = [row.filter((y) => y < x).length, row.filter((y) => y === x).length];
    return less + (equal + 1) / 2;
  });
}

/** @param {number[]} row */
function centred(row) {
  const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
  return row.map((x) => x - mean);
}
