/** Which layer the lines between tokens are of. */

/** @import { State } from "./state.js" */

/**
 * Where the lines are of: of the large kind the layer that was set by hand, else its chosen head's.
 *
 * @param {Pick<State, "trace" | "lines" | "kind" | "heads">} state
 * @returns {{kind: import("../trace/kinds.js").Kind, layer: number} | null}
 */
export function placeOfLines({ trace, lines, ...state }) {
  const kind = trace?.weights[state.kind] ? state.kind : "decoder_self";
  const weights = trace?.weights[kind];
  if (!weights) return null;
  const chosen = state.heads[kind]?.layer;
  const layer = lines.layer ?? (typeof chosen === "number" ? chosen : weights.layers - 1);
  return { kind, layer: Math.min(layer, weights.layers - 1) };
}
