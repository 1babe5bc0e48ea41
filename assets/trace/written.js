/** What has been written at a step, for a class that is to guess what comes next. */

/** @import { Trace } from "./trace.js" */

const SPECIAL = /^<.*>$/;

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
 * @param {Pick<Trace, "translation" | "tgt_out">} trace
 * @param {{hiding: boolean, step: number}} state
 */
export function writtenText({ translation, tgt_out }, { hiding, step }) {
  if (!hiding || step >= tgt_out.length - 1) return translation;
  const text = tgt_out
    .slice(0, step + 1)
    .filter((token) => !SPECIAL.test(token))
    .join("")
    .replaceAll("␣", " ");
  return `${text.trimStart()} …`;
}
