/** Where the tokens of a text stand in it, so that one of them can make way for another. */

import { PAIR } from "./second.js";

/** @import { Trace } from "./trace.js" */
/** @typedef {Pick<Trace, "source" | "src" | "hidden" | "words" | "parts">} Tokens */

const WORD_START = "␣";

/** What stands for a text that a tokenizer does not know. */
const UNKNOWN = /^\W*unk\W*$/i;
const UNKNOWN_MARK = /^\W+unk\W+$/i;

/**
 * The source with another token in the place of one of its tokens.
 *
 * @param {Tokens} trace
 * @param {number} at
 * @param {string} token  its label
 */
export function withToken(trace, at, token) {
  const spans = spansOf(trace);
  const bare = token.replaceAll(WORD_START, "");
  const span = spans[at];
  if (!span) return trace.source;
  return trace.source.slice(0, span[0]) + bare + trace.source.slice(span[1]);
}

/**
 * Where each token begins and ends in the source; null of one that stands for no text of it. Tokenizers
 * may leave out capitals and accents, so that these are not compared.
 *
 * @param {Tokens} trace
 * @returns {([number, number] | null)[]}
 */
export function spansOf({ source, src, hidden = [], words, parts }) {
  const plain = [...source].map(folded);
  const starts = startsOf(source);
  const typed = src.map((label, at) => hidden.find((each) => each.at === at)?.token ?? label);
  let from = 0;
  /** @type {([number, number] | null)[]} */
  const spans = typed.map((label, at) => {
    const bare = [...label.replaceAll(WORD_START, "").trim()].map(folded).join("");
    if ((words?.src && words.src[at] === null) || UNKNOWN_MARK.test(label)) return null;
    const span = bare ? placeOf(plain, bare, from) : null;
    if (!span) return null;
    from = span[1];
    return [starts[span[0]], starts[span[1]]];
  });
  const isUnknown = (/** @type {number} */ at) => spans[at] === null && UNKNOWN.test(typed[at]);
  return spans.map((span, at) =>
    isUnknown(at) ? unknownPlace(source, spans, at, isUnknown, parts?.src) : span,
  );
}

/**
 * What stands between a token's neighbours; of several such, that which is its own.
 *
 * @param {string} source
 * @param {([number, number] | null)[]} spans
 * @param {number} at
 * @param {(at: number) => boolean} isUnknown
 * @param {(number | null)[] | null} [parts]
 * @returns {[number, number] | null}
 */
function unknownPlace(source, spans, at, isUnknown, parts) {
  let [first, last] = [at, at];
  while (first > 0 && !spans[first - 1]) first--;
  while (last + 1 < spans.length && !spans[last + 1]) last++;
  let [start, end] = [spans[first - 1]?.[1] ?? 0, spans[last + 1]?.[0] ?? source.length];
  const middle = parts ? source.indexOf(PAIR, start) : -1;
  if (middle >= 0 && middle < end) {
    if (parts?.[at] === 1) start = middle + PAIR.length;
    else end = middle;
  }
  const alike = spans
    .map((_, i) => i)
    .filter((i) => i >= first && i <= last && isUnknown(i) && parts?.[i] === parts?.[at]);
  const gap = source.slice(start, end);
  for (const each of [/\S+/g, /\S/gu]) {
    const matches = [...gap.matchAll(each)];
    if (matches.length !== alike.length) continue;
    const { index, 0: text } = matches[alike.indexOf(at)];
    return [start + index, start + index + text.length];
  }
  return null;
}

/** @type {(plain: string[], text: string, from: number) => [number, number] | null} */
function placeOf(plain, text, from) {
  for (let start = from; start < plain.length; start++) {
    let [end, seen] = [start, ""];
    while (end < plain.length && seen.length < text.length && text.startsWith(seen)) {
      seen += plain[end++];
    }
    if (seen === text && plain[start] !== "") return [start, end];
  }
  return null;
}

/** @param {string} letter */
function folded(letter) {
  return letter.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** @param {string} text  where each of its characters begins, and its end */
function startsOf(text) {
  const starts = [0];
  for (const letter of text) starts.push(starts[starts.length - 1] + letter.length);
  return starts;
}
