/** Readings of a translation word by word: pieces added up, compared where words matter, words aligned. */

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

/** What a word must change a log-probability by, in nats, to matter. */
export const MATTERS = 0.1;

/** And by such a share of what the word changes that changes most. */
const TENTH = 0.1;

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

/** One row of a table of numbers. @type {(numbers: Numbers, row: number) => Float32Array} */
export function rowOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}

/**
 * What without each word gets lost: above 0 where the word spoke for the token.
 *
 * @param {Numbers} deltas  of log-probability without each word
 * @returns {Numbers}
 */
export function lostWithout({ values, ...shape }) {
  return { ...shape, values: values.map((x) => -x) };
}

/**
 * How far a reading agrees with leaving words out, on the words that matter alone: those whose absence
 * costs the token `MATTERS` nats and a tenth of what the most costly one does. How the others are
 * ordered, whose effects are noise beside theirs, says nothing of either.
 *
 * @typedef {object} Agreement
 * @property {boolean} first  whether both put the same word first
 * @property {number} of  how many words matter
 * @property {number} shared  how many of them are among the reading's first so many
 * @property {number} rest  what any other word changes at most, nats
 * @property {boolean} alike  the same first, and half of the rest at least
 */

/**
 * How well a reading agrees with what leaving out each word does.
 *
 * @param {ArrayLike<number>} reading  the larger, the more the row rests on the word
 * @param {ArrayLike<number>} deltas  of log-probability without each word, nats
 * @returns {Agreement | null}  null where no word matters, or nothing can be said
 */
export function agreement(reading, deltas) {
  const both = Array.from(reading, (_, i) => i).filter(
    (i) => !Number.isNaN(reading[i]) && !Number.isNaN(deltas[i]),
  );
  if (both.length < 2) return null;
  const lost = [...both].sort((i, j) => deltas[i] - deltas[j]);
  const most = -deltas[lost[0]];
  if (most < MATTERS) return null;
  const matter = lost.filter((i) => -deltas[i] >= Math.max(MATTERS, TENTH * most));
  const own = [...both].sort((i, j) => reading[j] - reading[i]);
  const top = new Set(own.slice(0, matter.length));
  const shared = matter.filter((i) => top.has(i)).length;
  const others = lost.slice(matter.length).map((i) => Math.abs(deltas[i]));
  const first = own[0] === lost[0];
  return {
    ...{ first, shared, of: matter.length, rest: Math.max(0, ...others) },
    alike: first && shared >= matter.length / 2,
  };
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
