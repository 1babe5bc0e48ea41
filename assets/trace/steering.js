/** Where a row was made to look: the aims of its attention, and what they changed. */

import { withChange } from "./changes.js";
import { isPastTheEnd, parseIntervention } from "./interventions.js";
import { wordsOf } from "./whole_words.js";

/** @import { Candidate, Trace } from "./trace.js" */

/** @typedef {import("./interventions.js").Target & {keys: number[], row: number}} Aim  layer and head null: all */

/**
 * The aims among changes to the model.
 *
 * @param {string[]} texts  changes to the model
 * @returns {Aim[]}  in their order
 */
export function aimsIn(texts) {
  return texts.flatMap((text) => {
    const change = parseIntervention(text);
    if (change?.effect !== "aim") return [];
    const { kind, layer, head, row = 0, keys = [] } = change;
    return [{ kind, layer, head, row, keys }];
  });
}

/**
 * Whether the beam alone tells these changes: a row made to look elsewhere, and nothing else.
 *
 * @param {string[]} texts
 * @param {import("./kinds.js").Tokens} tokens
 */
export function isOnlySteered(texts, tokens) {
  const [aim] = aimsIn(texts);
  return texts.length === 1 && aim !== undefined && !isPastTheEnd(aim, tokens);
}

/**
 * These changes with a row that looks elsewhere; whatever it was made to look at before is forgotten.
 *
 * @param {string[]} texts
 * @param {Aim} aim  at no keys: it looks where it would
 * @param {import("./changes.js").Size} size
 */
export function steered(texts, aim, size) {
  const others = texts.filter((text) => {
    const change = parseIntervention(text);
    const led = change?.effect === "aim" && change.kind === aim.kind && change.row === aim.row;
    return !led;
  });
  return aim.keys.length ? withChange(others, { ...aim, effect: "aim" }, size) : others;
}

/**
 * What of these changes holds for another sentence: where one looks, the other has no such words.
 *
 * @param {string[]} texts
 */
export function withoutAims(texts) {
  return texts.filter((text) => parseIntervention(text)?.effect !== "aim");
}

/**
 * The tokens of the word that a token belongs to.
 *
 * @type {(tokens: string[], index: number, words?: (number | null)[] | null) => number[]}  `words`: of which
 *   word each is, where a tokenizer tells
 */
export function piecesAt(tokens, index, words = null) {
  return wordsOf(tokens, { words }).pieces.find((own) => own.includes(index)) ?? [index];
}

/**
 * The words that tokens belong to, as they are read.
 *
 * @param {string[]} tokens
 * @param {number[]} keys
 * @param {(number | null)[] | null} [ownWords]  of which word each is, where a tokenizer tells
 */
export function wordsAt(tokens, keys, ownWords = null) {
  const words = keys.map((key) => {
    const joined = piecesAt(tokens, key, ownWords)
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

/** The first candidates of a step, before and after something was changed. @type {(now: Candidate[], before: Candidate[] | null | undefined) => Turn & {same: boolean}} */
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
