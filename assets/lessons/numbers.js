/** The live numbers of a stop: one row of one head, and what the blocks of the model let through. */

import { firstVisible, keyTokens, queryTokens, visibleKeys } from "../trace/kinds.js";
import { measureHeads } from "../trace/measured.js";
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
 * The decoder's head that gives most to what a role names, and what all of its heads give in the mean.
 *
 * @param {Trace} trace
 * @param {"first" | "induction"} role
 * @returns {{head: {layer: number, head: number}, share: number, mean: number, chance: number, count: number} | null}
 *   null: too few rows tell it
 */
export function clearestHead(trace, role) {
  const statistics = measureHeads(trace).decoder_self;
  const chance = statistics?.by_chance[role] ?? null;
  const heads = (statistics?.measures[role] ?? []).flatMap((layer, at) =>
    layer.map((share, head) => ({ head: { layer: at, head }, share: share ?? 0 })),
  );
  if (chance === null || !heads.length) return null;
  const most = heads.reduce((one, other) => (other.share > one.share ? other : one));
  const mean = heads.reduce((sum, { share }) => sum + share, 0) / heads.length;
  return { ...most, mean, chance, count: heads.length };
}

/**
 * How many tokens a row of the decoder may see, or of an encoder that stands alone, and of how many.
 *
 * @param {Trace} trace
 * @param {number} row
 */
export function seenBy(trace, row) {
  const kind = trace.weights.decoder_self ? "decoder_self" : "encoder_self";
  const { causal } = trace.weights[kind] ?? {};
  const count = keyTokens(trace, kind).length;
  const seen = visibleKeys(kind, row, count, causal) - firstVisible(kind, row, causal);
  return { seen, count };
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
