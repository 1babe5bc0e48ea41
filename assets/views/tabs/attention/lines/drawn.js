/** What the view of lines draws, from the trace and its settings. */

/** @typedef {import("../../../../state/state.js").State} State */

/**
 * Where the lines are of: of the large kind the layer that was set by hand, else its chosen head's.
 *
 * @param {Pick<State, "trace" | "lines" | "kind" | "heads">} state
 * @returns {{kind: import("../../../../trace/kinds.js").Kind, layer: number} | null}
 */
export function placeOfLines({ trace, lines, ...state }) {
  const kind = trace?.weights[state.kind] ? state.kind : "decoder_self";
  const weights = trace?.weights[kind];
  if (!weights) return null;
  const chosen = state.heads[kind]?.layer;
  const layer = lines.layer ?? (typeof chosen === "number" ? chosen : weights.layers - 1);
  return { kind, layer: Math.min(layer, weights.layers - 1) };
}

/**
 * Which heads of the layer are drawn. Joined ones are none that a line could be of: all are, then.
 *
 * @param {Pick<State, "lines" | "heads">} state
 * @param {import("../../../../trace/kinds.js").Kind} kind
 * @param {number} count
 * @returns {number[]}
 */
export function headsOfLines({ lines, heads }, kind, count) {
  const all = [...Array(count).keys()];
  const wished = lines.heads ?? (lines.layer === null ? [heads[kind]?.head] : "all");
  if (wished === "all" || typeof wished[0] === "string") return all;
  return all.filter((head) => wished.includes(head));
}

/** In CSS pixels: a token's height, within these bounds, makes the picture so high. */
const ROW = { least: 20, most: 44, together: 560 };

/** @typedef {NonNullable<ReturnType<typeof drawnLines>>} Drawn */

/**
 * @param {Pick<State, "trace" | "lines" | "theme" | "kind" | "heads">} state
 * @returns what is drawn, as long as the trace and the settings stay; null without a trace
 */
export function drawnLines(state) {
  const { trace, lines, theme } = state;
  const place = placeOfLines(state);
  const weights = place && trace?.weights[place.kind];
  if (!trace || !weights) return null;
  const { kind, layer } = place;
  const heads = headsOfLines(state, kind, weights.heads);
  const share = Math.floor(ROW.together / Math.max(weights.queries, weights.keys));
  const row = Math.max(ROW.least, Math.min(ROW.most, share));
  return { trace, weights, kind, layer, heads, threshold: lines.threshold, theme, row };
}
