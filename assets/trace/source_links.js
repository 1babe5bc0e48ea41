/**
 * Which source words stand for a target word: what a cross-attention head that aligns looks at
 * (`transformer/inside/source_links.py`).
 */

import { isPunctuation } from "./roles.js";
import { SPACELESS_LETTERS, wordsOf } from "./whole_words.js";

/** Keys of a row that are the source of the word that it writes, and of the one that it has just read. */
/** @typedef {{written: Set<number>, read: Set<number>}} Aligned */

/** Letters that a stem has at least, and an ending at most. */
const [STEM, ENDING] = [3, 3];

const SPACELESS = new RegExp(`[${SPACELESS_LETTERS}]$`, "u");

/**
 * Keys that every row of cross-attention aligns with. By the lexicon, of which glosses are what it says of these words;
 * without one (null) a word stands for itself, as in a toy that spells. A key with both names speaks
 * for neither.
 *
 * @param {import("./kinds.js").Tokens & {glosses?: import("./glosses.js").Glosses | null}} trace  or a moment of
 *   training, of which nobody knows any (undefined)
 * @returns {Aligned[] | null}
 */
export function alignedKeys(trace) {
  const linked = linkedKeys(trace);
  return (
    linked?.map((written, step) => {
      const read = step > 0 ? linked[step - 1] : new Set();
      const without = (/** @type {Set<number>} */ one, /** @type {Set<number>} */ other) =>
        new Set([...one].filter((key) => !other.has(key)));
      return { written: without(written, read), read: without(read, written) };
    }) ?? null
  );
}

/**
 * Source tokens that stand for what each step writes.
 *
 * @param {Parameters<typeof alignedKeys>[0]} trace
 * @returns {Set<number>[] | null}
 */
export function linkedKeys({ src, tgt_out, glosses }) {
  if (glosses === undefined) return null;
  const [source, target] = [wordsOf(src), wordsOf(tgt_out)];
  /** @type {Set<number>[]} */
  const linked = tgt_out.map(() => new Set());
  for (const [j, text] of target.words.entries()) {
    for (const [i, word] of source.words.entries()) {
      if (isPunctuation(text) || isPunctuation(word)) continue;
      const [own, pieces] = [source.pieces[i], target.pieces[j]];
      if (!stands(word, text, glosses, own[0], pieces[0])) continue;
      for (const step of pieces) for (const key of own) linked[step].add(key);
    }
  }
  return linked;
}

/** @type {(word: string, text: string, glosses: import("./glosses.js").Glosses | null, key: number, step: number) => boolean} */
function stands(word, text, glosses, key, step) {
  if (!glosses) return word.toLowerCase() === text.toLowerCase();
  const [ofSource, ofTarget] = [glosses.src?.[key], glosses.tgt?.[step]];
  return Boolean((ofSource && holds(text, ofSource)) || (ofTarget && holds(word, ofTarget)));
}

/**
 * Whether a word is this one, inflected, or written together with others.
 *
 * @param {string} word
 * @param {string} gloss
 */
function holds(word, gloss) {
  const [own, meant] = [word.toLowerCase(), gloss.toLowerCase()];
  if (SPACELESS.test(meant)) return own.includes(meant);
  const long = meant.length >= STEM && own.length <= meant.length + ENDING;
  return own === meant || (long && own.startsWith(meant));
}
