/** Where the tokens of a text stand in it, so that one of them can make way for another. */

/** @import { Trace } from "./trace.js" */

const WORD_START = "␣";

/**
 * The source with another token in the place of one of its tokens.
 *
 * @param {Pick<Trace, "source" | "src" | "hidden" | "words">} trace
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
 * @param {Pick<Trace, "source" | "src" | "hidden" | "words">} trace
 * @returns {([number, number] | null)[]}
 */
export function spansOf({ source, src, hidden = [], words }) {
  const plain = [...source].map(folded);
  const starts = startsOf(source);
  let from = 0;
  return src.map((label, at) => {
    const typed = hidden.find((each) => each.at === at)?.token ?? label;
    const bare = [...typed.replaceAll(WORD_START, "").trim()].map(folded).join("");
    if (words?.src && words.src[at] === null) return null;
    const span = bare ? placeOf(plain, bare, from) : null;
    if (!span) return null;
    from = span[1];
    return [starts[span[0]], starts[span[1]]];
  });
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
