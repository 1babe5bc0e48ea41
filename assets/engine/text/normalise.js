/**
 * What people type, written as a model has learnt to read it (`transformer/text/normalise.py`, which
 * says why): both pass `tests/data/normalise.json`.
 */

import { SPACELESS_LETTERS } from "../../trace/whole_words.js";

/** @import { Tokenizer } from "./tokenizer.js" */

const LATIN = "0-9A-Za-z\\u00c0-\\u024f";
const SPACES = " \\t\\n\\r\\u00a0\\u202f\\u3000";
const JOINERS = "\\u200d\\ufe0e\\ufe0f";

const GUILLEMETS = /«[ \u00a0\u202f]*([^«»]*?)[ \u00a0\u202f]*»/gu;

const OPENING = /^[ ]*[—―–•‣⁃][ ]*/u;
const CLOSING_DASH = /[ ]*[—―–][ ]*$/u;
const DASH = /[ ]*[—―]+[ ]*|[ ]+[–‒][ ]+/gu;

const JOINED = new RegExp(`([，、。！？；])(?=[${LATIN}])`, "gu");

/** @type {[string, string][]} */
const PLAIN = [
  ["“”„‟″«»「」『』《》＂", '"'],
  ["’‘‚‛ʼ′´‹›＇", "'"],
  ["‐‑‒–−－", "-"],
  ...Object.entries({ "…": "...", "×": "x", "、": ",", "。": ".", "【": "[", "】": "]" }),
  ...Object.entries({
    "，": ",",
    "！": "!",
    "？": "?",
    "；": ";",
    "：": ":",
    "（": "(",
    "）": ")",
  }),
];

const TWINS = new Map(
  PLAIN.flatMap(([signs, twin]) => [...signs].map((sign) => /** @type {const} */ ([sign, twin]))),
);

const OWN_SIGNS = new RegExp(`[${SPACELESS_LETTERS}]`, "u");

const SIGN =
  /[\u20d0-\u20ff\ufe00-\ufe0f\u00a9\u00ae\u203c\u2049\u2100-\u214f\u2190-\u21ff\u2300-\u23ff\u2400-\u243f\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\ufffc\ufffd\u{1f000}-\u{1fbff}\u{e0020}-\u{e007f}]/gu;

const CLOSING = ".,!?;:)，。！？；：、）";

const LONE = 4;

/**
 * A text as a model reads it that has learnt plain signs and small letters.
 *
 * @param {string} text
 * @param {Tokenizer} tokenizer
 */
export function normalised(text, tokenizer) {
  let written = withoutSigns(text, tokenizer);
  if (/\p{Letter}/u.test(written) && !OWN_SIGNS.test(written)) written = plain(written);
  return isShouted(written, tokenizer) ? written.toLowerCase() : written;
}

/** @type {(text: string, tokenizer: Tokenizer) => string} */
function withoutSigns(text, tokenizer) {
  const all = new Set(text.match(SIGN));
  const signs = [...all].filter((sign) => isUnknown(sign, tokenizer)).join("");
  if (!signs) return text;
  const run = `[${SPACES}]*(?:[${signs}][${signs}${JOINERS}]*[${SPACES}]*)+`;
  const spaced = new RegExp(`[${SPACES}]`, "u");
  const partsWords = new RegExp(`^[${LATIN}]{2}$`, "u");
  return text.replace(new RegExp(run, "gu"), (gap, /** @type {number} */ at) => {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + gap.length)];
    if (!before || !after || CLOSING.includes(after)) return "";
    return spaced.test(gap) || partsWords.test(before + after) ? " " : "";
  });
}

/** @type {(text: string, tokenizer: Tokenizer) => boolean} */
function isUnknown(text, tokenizer) {
  return tokenizer.labels(tokenizer.encode(text)).includes("<unk>");
}

/** @param {string} text */
function plain(text) {
  const paused = text
    .replace(GUILLEMETS, '"$1"')
    .replace(OPENING, "")
    .replace(CLOSING_DASH, "")
    .replace(DASH, ", ")
    .replace(JOINED, "$1 ");
  return [...paused].map((char) => TWINS.get(char) ?? char).join("");
}

/** @type {(text: string, tokenizer: Tokenizer) => boolean} */
function isShouted(text, tokenizer) {
  const words = text.match(/\p{Letter}+/gu) ?? [];
  if (!words.length || words.some((word) => !/^\p{Lu}+$/u.test(word))) return false;
  const count = (/** @type {string} */ part) => tokenizer.encode(part).length;
  if (words.length > 1) return count(text.toLowerCase()) < count(text);
  const word = words.join("");
  const small = word.toLowerCase();
  return [...word].length >= LONE && count(small) === 1 && !isUnknown(small, tokenizer);
}
