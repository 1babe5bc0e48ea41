/** Where a step was made to look: the aims of a row of cross-attention, and what they changed. */

import { withChange } from "./changes.js";
import { parseIntervention } from "./interventions.js";
import { wordsOf } from "./whole_words.js";

/** @typedef {import("./interventions.js").Change} Change */
/** @typedef {import("./trace.js").Candidate} Candidate */
/** @typedef {import("./trace.js").Trace} Trace */

/** @typedef {{keys: number[], layer: number | null, head: number | null, row: number}} Aim  layer and head null: all */

/**
 * @param {string[]} texts  changes to the model
 * @returns {Aim[]}  of cross-attention, in the order of the steps
 */
export function aimsIn(texts) {
  return texts.flatMap((text) => {
    const change = parseIntervention(text);
    if (!change || !isAim(change)) return [];
    const { layer, head, row = 0, keys = [] } = change;
    return [{ layer, head, row, keys }];
  });
}

/**
 * Whether the beam alone tells these changes: a step made to look elsewhere, and nothing else.
 *
 * @param {string[]} texts
 * @param {number} steps  how many there are
 */
export function isOnlySteered(texts, steps) {
  return texts.length === 1 && aimsIn(texts).some(({ row }) => row < steps);
}

/**
 * These changes with a step that looks elsewhere; whatever it was made to look at before is forgotten.
 *
 * @param {string[]} texts
 * @param {Aim} aim  at no keys: it looks where it would
 * @param {import("./changes.js").Size} size
 */
export function steered(texts, aim, size) {
  const others = texts.filter((text) => {
    const change = parseIntervention(text);
    return !change || !isAim(change) || change.row !== aim.row;
  });
  const change = /** @type {const} */ ({ kind: "cross", effect: "aim", ...aim });
  return aim.keys.length ? withChange(others, change, size) : others;
}

/**
 * What of these changes holds for another sentence: where one looks, the other has no such words.
 *
 * @param {string[]} texts
 */
export function withoutAims(texts) {
  return texts.filter((text) => parseIntervention(text)?.effect !== "aim");
}

/** @param {Change} change */
function isAim({ kind, effect }) {
  return kind === "cross" && effect === "aim";
}

/**
 * The tokens of the word that a token belongs to.
 *
 * @param {string[]} tokens
 * @param {number} index
 * @returns {number[]}
 */
export function piecesAt(tokens, index) {
  return wordsOf(tokens).pieces.find((own) => own.includes(index)) ?? [index];
}

/**
 * The words that tokens belong to, as they are read.
 *
 * @param {string[]} tokens
 * @param {number[]} keys
 */
export function wordsAt(tokens, keys) {
  const words = keys.map((key) => {
    const joined = piecesAt(tokens, key)
      .map((piece) => tokens[piece] ?? "")
      .join("");
    return joined.length > 1 ? joined.replaceAll("␣", "") : joined;
  });
  return [...new Set(words)].join(" ");
}

/**
 * What a step says first, before and after something was changed.
 *
 * @typedef {{now: Candidate, before: Candidate | null}} Turn  `before`: null if that is not known
 */

/**
 * @param {Candidate[]} now
 * @param {Candidate[] | null | undefined} before
 * @returns {Turn & {same: boolean}}
 */
export function turnOf([now], before) {
  const first = before?.[0] ?? null;
  return { now, before: first, same: first?.id === now.id };
}

/**
 * What a step's candidates were in the unchanged model, if it stood after the same text there.
 *
 * @param {Pick<Trace, "tgt_ids">} trace
 * @param {Pick<Trace, "tgt_ids" | "candidates"> | null} before
 * @param {number} step
 */
export function candidatesBefore(trace, before, step) {
  const same = before?.tgt_ids.slice(0, step).every((id, i) => id === trace.tgt_ids[i]);
  return (same && before?.candidates[step]) || null;
}
