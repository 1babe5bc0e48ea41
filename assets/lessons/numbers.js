/** The live numbers of a stop: one row of one head, and what the blocks of the model let through. */

import { headNumbers } from "../state/head_numbers.js";
import { keyTokens, queryTokens, visibleKeys } from "../trace/kinds.js";
import { openingHead } from "../trace/trace.js";
import { unpackRows } from "../trace/unpack.js";

/** @typedef {import("../state/actions.js").Context} Context */
/** @typedef {import("../trace/trace.js").Trace} Trace */

/** A number could not be had; the server's problem is its cause. */
export class NoNumbers extends Error {
  /** @param {import("../state/server.js").Problem | undefined} problem */
  constructor(problem) {
    super("the server gave no numbers");
    this.problem = problem;
  }
}

/**
 * @param {Trace} trace
 * @returns {import("../trace/kinds.js").Kind}
 */
export function kindFor(trace) {
  return trace.weights.cross ? "cross" : "decoder_self";
}

/**
 * A row of the telling head: its query and every key that it may see.
 *
 * @param {Context} context
 * @param {Trace} trace
 * @param {number} row
 */
export async function tellingRow({ ask }, trace, row) {
  const kind = kindFor(trace);
  const choice = openingHead(trace, kind);
  const which = { kind, layer: Number(choice?.layer ?? 0), head: Number(choice?.head ?? 0) };
  const { numbers, error } = await headNumbers(ask, trace, which);
  if (!numbers) throw new NoNumbers(error);
  const seen = visibleKeys(kind, row, numbers.key.length);
  const weights = numbers.weights[row].subarray(0, seen);
  return {
    ...which,
    query: numbers.query[row],
    keys: numbers.key.slice(0, seen),
    values: numbers.value.slice(0, seen),
    scores: Array.from(numbers.scores[row].subarray(0, seen)),
    weights: Array.from(weights),
    best: weights.indexOf(Math.max(...weights)),
    tokens: keyTokens(trace, kind).slice(0, seen),
    asking: queryTokens(trace, kind)[row],
  };
}

/**
 * What enters and leaves a block, a row a token.
 *
 * @param {Context} context
 * @param {string} block
 * @returns {Promise<Record<string, Float32Array[]>>}
 */
export async function blockRows({ analyse }, block) {
  const { inside, error } = await analyse("flow", { block });
  if (!inside) throw new NoNumbers(error);
  return Object.fromEntries(
    Object.entries(inside.parts).map(([part, packed]) => [part, unpackRows(packed)]),
  );
}

/**
 * The tower where the text comes in, and its tokens as far as they are read.
 *
 * @param {Trace} trace
 * @param {number} step
 */
export function reading(trace, step) {
  return trace.src.length
    ? { tower: "encoder", tokens: trace.src, ids: trace.src_ids ?? [] }
    : {
        tower: "decoder",
        tokens: trace.tgt_in.slice(0, step + 1),
        ids: [Number.NaN, ...trace.tgt_ids],
      };
}
