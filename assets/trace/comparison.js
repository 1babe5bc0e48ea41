/** Two traces side by side: which tokens both have, and how their weights differ there. */

import { differences } from "./tree.js";
import { headWeights } from "./weights.js";

/** @import { Trace } from "./trace.js" */
/** @import { Kind } from "./kinds.js" */
/** @typedef {Pick<Trace, "src" | "tgt_in" | "tgt_out" | "weights">} Attended  a moment of training, too */

/** @typedef {{one: Attended, name: string, other: Attended, now: string}} Compared  two, and their names */

/**
 * A place in one list of tokens and one in the other; null where a list has nothing there.
 *
 * @typedef {{one: number | null, other: number | null, same: boolean}} Column
 */

/**
 * Two lists of tokens, one under the other: what both say shares a column, and so does what one says
 * where the other says something else.
 *
 * @type {(one: string[], other: string[]) => Column[]}
 */
export function alignTokens(one, other) {
  const [mine, its] = differences(one, other);
  /** @type {Column[]} */
  const columns = [];
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const left = i < one.length && mine.has(i);
    const right = j < other.length && its.has(j);
    const same = !left && !right;
    columns.push({ one: left || same ? i : null, other: right || same ? j : null, same });
    if (left || same) i++;
    if (right || same) j++;
  }
  return columns;
}

/**
 * The places of tokens that both have, in order.
 *
 * @type {(one: string[], other: string[]) => [number, number][]}
 */
export function matches(one, other) {
  return alignTokens(one, other).flatMap(({ one: i, other: j, same }) =>
    same && i !== null && j !== null ? [/** @type {[number, number]} */ ([i, j])] : [],
  );
}

/**
 * How one head's weights differ over the tokens that both traces have.
 *
 * @typedef {object} Difference
 * @property {[number, number][]} rows  places in the one and the other
 * @property {[number, number][]} columns
 * @property {number[][]} values  other − one, [row, column]
 */

/**
 * The difference of one head's weights between two traces, cell by cell.
 *
 * @param {Attended} one
 * @param {Attended} other
 * @param {Kind} kind
 * @param {import("./choice.js").Choice} choice
 * @returns {Difference | null}  null where their axes do not allow it
 */
export function difference(one, other, kind, choice) {
  const [a, b] = [one.weights[kind], other.weights[kind]];
  if (!a || !b || a.layers !== b.layers || a.heads !== b.heads) return null;
  const src = matches(one.src, other.src);
  const rows = kind === "encoder_self" ? src : matches(one.tgt_out, other.tgt_out);
  const columns = kind === "decoder_self" ? matches(one.tgt_in, other.tgt_in) : src;
  if (!rows.length || !columns.length) return null;
  const [mine, its] = [headWeights(a, choice), headWeights(b, choice)];
  const values = rows.map(([i, j]) =>
    columns.map(([k, l]) => its[j * b.keys + l] - mine[i * a.keys + k]),
  );
  return { rows, columns, values };
}

/**
 * What a model gave the token that it emitted; null if the trace does not tell.
 *
 * @param {Trace} trace
 * @param {number} step
 */
export function emittedProbability({ candidates, tgt_ids }, step) {
  return candidates[step].find(({ id }) => id === tgt_ids[step])?.probability ?? null;
}
