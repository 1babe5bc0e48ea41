/** What has been written at a step, for a class that is to guess what comes next. */

/** @import { Trace } from "./trace.js" */

const SPECIAL = /^<.*>$/;

/**
 * A text whose control characters are signs, as those of tokens are: nothing is an empty box.
 *
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (sign) => {
    const code = sign.charCodeAt(0);
    const digits = code.toString(16);
    return code < 128 ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`;
  });
}

/**
 * What the model itself would write at each step, after the same beginning.
 *
 * @param {Pick<Trace, "candidates" | "tgt_ids">} trace
 * @param {{hiding: boolean, step: number}} state
 * @returns {{token: string, other: boolean}[]}  `other`: than the text says there
 */
export function wouldWrite({ candidates, tgt_ids }, { hiding, step }) {
  return candidates
    .slice(0, hiding ? step + 1 : undefined)
    .map(([{ token, id }], i) => ({ token, other: id !== tgt_ids[i] }));
}

/**
 * The translation, or while what comes next is hidden, its beginning: up to the token that the step
 * predicts.
 *
 * @param {Pick<Trace, "translation" | "src" | "tgt_in" | "tgt_out">} trace
 * @param {{hiding: boolean, step: number}} state
 */
export function writtenText({ translation, src, tgt_in, tgt_out }, { hiding, step }) {
  if (!hiding || step >= tgt_out.length - 1) return translation;
  // A prompt may begin without a token that marks it.
  const begins = src.length ? [] : tgt_in.slice(0, 1);
  const text = [...begins, ...tgt_out.slice(0, step + 1)]
    .filter((token) => !SPECIAL.test(token))
    .join("")
    .replaceAll("␣", " ");
  return `${text.trimStart()} …`;
}
