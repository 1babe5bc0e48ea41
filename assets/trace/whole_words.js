/** Tokens back into words, as far as their labels tell (`transformer/trace/words.py`). */

import { isCode } from "./language_code.js";
import { EOS } from "./roles.js";

const SPECIAL = [EOS, "<s>", "<pad>"];

/** No word has more pieces than these. */
const LONGEST = 8;

const WORD_START = "␣";

/** Written without spaces between words: Thai, Chinese, Japanese. */
export const SPACELESS_LETTERS =
  "\\u0e00-\\u0e7f\\u2e80-\\u2fdf\\u3005-\\u3007\\u3040-\\u30ff\\u31c0-\\u31ff\\u3400-\\u4dbf" +
  "\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";

/** Ends in such a letter. */
const SPACELESS = new RegExp(`[${SPACELESS_LETTERS}]$`, "u");

/**
 * The words that tokens make; special tokens make none. A word begins where the tokenizer marks one
 * (␣), and a punctuation mark or a symbol is one of its own. In writing without spaces every token is a word, and
 * so is every letter of a text that a model spells, where no token marks anything.
 *
 * @param {string[]} labels
 * @param {{words?: (number | null)[] | null, parts?: (number | null)[] | null}} [facts]  what is known of the
 *   tokens: of which word each is, and -1 of one that is a template's or special
 * @returns {import("./words.js").Words}
 */
export function wordsOf(labels, { words = null, parts = null } = {}) {
  if (words?.length) return grouped(labels, words);
  const isSpecial = (/** @type {string} */ label, /** @type {number} */ i) =>
    standsForNoText(label) || parts?.[i] === -1;
  const spelled = labels.every((label, i) => isSpecial(label, i) || isLetter(label));
  /** @type {number[][]} */
  const pieces = [];
  let joins = false; // whether the next token may go on with the last word
  for (const [i, label] of labels.entries()) {
    if (isSpecial(label, i)) {
      joins = false;
      continue;
    }
    const alone = spelled || isSign(label) || SPACELESS.test(label);
    const last = pieces.at(-1);
    // Some tokenizers cut the mark of a word's start off as a token of its own.
    const marked = last && labels[last[last.length - 1]] === WORD_START;
    if (last && (marked || (joins && !alone && !label.startsWith(WORD_START)))) last.push(i);
    else pieces.push([i]);
    joins = !alone;
  }
  return { words: pieces.map((own) => textOf(labels, own)), pieces };
}

/** @type {(labels: string[], words: (number | null)[]) => import("./words.js").Words}  of which word each is */
function grouped(labels, words) {
  /** @type {number[][]} */
  const pieces = [];
  for (const [i, word] of words.entries()) {
    if (word === null || i >= labels.length) continue;
    const last = pieces.at(-1);
    if (last && words[last[0]] === word) last.push(i);
    else pieces.push([i]);
  }
  return { words: pieces.map((own) => textOf(labels, own)), pieces };
}

/** @type {(labels: string[], own: number[]) => string} */
function textOf(labels, own) {
  return own
    .map((i) => labels[i])
    .join("")
    .replaceAll(WORD_START, "");
}

/**
 * Whether a token is nothing but punctuation marks and symbols: those of arithmetic and of markup part
 * words as a comma does.
 *
 * @param {string} label
 */
function isSign(label) {
  return /^␣?[\p{P}\p{S}]+$/u.test(label) && label !== WORD_START;
}

/**
 * Whether a token stands for no text: a sentence's end, or the code of a language.
 *
 * @param {string} label
 */
export function standsForNoText(label) {
  return SPECIAL.includes(label) || isCode(label);
}

/** @param {string} label */
function isLetter(label) {
  return [...label].length === 1 && label !== WORD_START && !SPACELESS.test(label);
}

/**
 * The words of a side of a trace, as its tokenizer tells them, else as the labels do. Where another
 * model's labels mark no word's start at all, a whole text is no one word: each of them is.
 *
 * @param {Pick<import("./trace.js").Trace, "words" | "parts">} trace
 * @param {string[]} tokens  the source's; or the target's, of which there may be one more than it reads
 * @param {"src" | "tgt"} side
 */
export function wordsIn({ words, parts }, tokens, side) {
  const labels = { words: words?.[side], parts: parts?.[side] };
  const isUntold = words && !labels.words?.length;
  if (isUntold && tokens.length > LONGEST && !tokens.some((it) => it.includes(WORD_START))) {
    labels.words = tokens.map((token, i) =>
      standsForNoText(token) || labels.parts?.[i] === -1 ? null : i,
    );
  }
  return wordsOf(tokens, labels);
}
