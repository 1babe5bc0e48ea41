/** The live numbers of a stop: one row of one head, and what the blocks of the model let through. */

import { firstVisible, keyTokens, queryTokens, visibleKeys } from "../trace/kinds.js";
import { readingKind, shownBy } from "../trace/trace.js";
import { unpackParts } from "../trace/unpack.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Trace } from "../trace/trace.js" */

/**
 * A row of the representative head: its query and every key that it may see.
 *
 * @param {Context} context
 * @param {Trace} trace
 * @param {number} row
 */
export async function representativeRow({ about }, trace, row) {
  const kind = readingKind(trace);
  const choice = shownBy(trace, kind);
  const which = { kind, layer: Number(choice?.layer ?? 0), head: Number(choice?.head ?? 0) };
  const numbers = await about(trace).head(which);
  const { causal } = trace.weights[kind] ?? {};
  const [from, to] = [
    firstVisible(kind, row, causal),
    visibleKeys(kind, row, numbers.key.length, causal),
  ];
  const weights = numbers.weights[row].subarray(from, to);
  return {
    ...which,
    query: numbers.query[row],
    keys: numbers.key.slice(from, to),
    values: numbers.value.slice(from, to),
    scores: Array.from(numbers.scores[row].subarray(from, to)),
    weights: Array.from(weights),
    best: weights.indexOf(Math.max(...weights)),
    tokens: keyTokens(trace, kind).slice(from, to),
    asking: queryTokens(trace, kind)[row],
  };
}

/**
 * How many tokens a row of the decoder may see.
 *
 * @param {Trace} trace
 * @param {number} row
 */
export function seenBy({ tgt_in, weights }, row) {
  const { causal } = weights.decoder_self ?? {};
  const end = visibleKeys("decoder_self", row, tgt_in.length, causal);
  return end - firstVisible("decoder_self", row, causal);
}

/**
 * What enters and leaves a block, a row a token.
 *
 * @param {Context} context
 * @param {Trace} trace
 * @param {string} block
 */
export async function blockRows({ about }, trace, block) {
  const { parts } = await about(trace).inside("flow", { block });
  return unpackParts(parts);
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
