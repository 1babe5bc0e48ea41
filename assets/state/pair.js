/** The attention that is shown of a text of two sentences: all, or from one to the same or the other. */

import { SIDES } from "../trace/kinds.js";

/** @import { Kind } from "../trace/kinds.js" */
/** @import { Trace } from "../trace/trace.js" */

/** Sentence A is 0 and B is 1: whose words look, and at whose. @type {Record<string, [number, number] | null>} */
const FILTERS = { all: null, aa: [0, 0], bb: [1, 1], ab: [0, 1], ba: [1, 0] };

/** @typedef {"all" | "aa" | "bb" | "ab" | "ba"} PairFilter */
/** @typedef {{trace: Trace | null, pair: PairFilter}} State  of which this is a part */

export const PAIR_FILTERS = /** @type {PairFilter[]} */ (Object.keys(FILTERS));

/**
 * @param {Pick<State, "trace">} state
 * @param {Kind} kind
 * @returns {(number | null)[] | null}  of which sentence each token is; null where there is no pair
 */
function partsOf({ trace }, kind) {
  const { queries, keys } = SIDES[kind];
  if (queries !== keys) return null;
  const parts = trace?.parts?.[queries === "source" ? "src" : "tgt"];
  return parts?.includes(0) && parts.includes(1) ? parts : null;
}

/** @type {(state: Pick<State, "trace">, kind: Kind) => boolean} */
export function hasPair(state, kind) {
  return partsOf(state, kind) !== null;
}

/**
 * Which cells of a kind are shown.
 *
 * @param {Pick<State, "trace" | "pair">} state
 * @param {Kind} kind
 * @returns {((query: number, key: number) => boolean) | undefined}  undefined: all
 */
export function amongPair(state, kind) {
  const [parts, filter] = [partsOf(state, kind), FILTERS[state.pair]];
  if (!parts || !filter) return undefined;
  return (query, key) => parts[query] === filter[0] && parts[key] === filter[1];
}
