/** Pointing at a token or a cell lights its row and its column wherever the token is on an axis. */

import { SIDES } from "../trace/kinds.js";

/** @import { State } from "./state.js" */
/** @import { Side } from "../trace/kinds.js" */

/**
 * The tokens pointed at: the source's, those that the decoder reads, and those that it writes, each
 * of which stands for the row that writes it.
 *
 * @param {Pick<State, "hover" | "token">} state
 * @returns {Record<Side | "written", number[]>}
 */
export function pointedTokens({ hover, token }) {
  /** @type {Record<Side | "written", number[]>} */
  const tokens = { source: [], target: [], written: [] };
  if (token) tokens[token.side].push(token.index);
  if (hover) {
    const { queries, keys } = SIDES[hover.kind];
    tokens[queries].push(hover.query);
    if (queries !== keys || hover.key !== hover.query) tokens[keys].push(hover.key);
  }
  return tokens;
}

/**
 * The lines to light in a matrix: one cell's own in the matrix pointed at, else its tokens'.
 *
 * @param {import("../trace/kinds.js").Kind} kind
 * @param {Pick<State, "hover" | "token">} state
 * @returns {{rows: number[], columns: number[]}}
 */
export function crosshair(kind, state) {
  const { hover } = state;
  if (hover?.kind === kind) return { rows: [hover.query], columns: [hover.key] };
  const tokens = pointedTokens(state);
  const { queries, keys } = SIDES[kind];
  const rows = queries === "target" ? [...tokens.target, ...tokens.written] : tokens[queries];
  return { rows, columns: tokens[keys] };
}
