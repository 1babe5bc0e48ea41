/** What the view of lines draws, from the trace and its settings. */

import { headWeights } from "../../../../trace/weights.js";

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
 * Which heads of the layer are drawn, each with lines of its own.
 *
 * @param {Pick<State, "lines" | "heads">} state
 * @param {import("../../../../trace/kinds.js").Kind} kind
 * @param {number} count
 * @returns {number[]}
 */
function headsOfLines({ lines, heads }, kind, count) {
  const all = [...Array(count).keys()];
  const wished = lines.heads ?? (lines.layer === null ? [heads[kind]?.head] : "all");
  return wished === "all" ? all : all.filter((head) => wished.includes(head));
}

/**
 * Several heads joined, which are chosen and drawn as one: a mean, a maximum.
 *
 * @param {Pick<State, "lines" | "heads">} state
 * @param {import("../../../../trace/kinds.js").Kind} kind
 */
function joinedIn({ lines, heads }, kind) {
  const chosen = heads[kind];
  if (!chosen || lines.layer !== null || lines.heads !== null) return null;
  return typeof chosen.layer === "string" || typeof chosen.head === "string" ? chosen : null;
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
  const whole = place && trace?.weights[place.kind];
  if (!trace || !whole) return null;
  const { kind } = place;
  const joined = joinedIn(state, kind);
  const pressed = joined ? [] : headsOfLines(state, kind, whole.heads);
  const share = Math.floor(ROW.together / Math.max(whole.queries, whole.keys));
  const row = Math.max(ROW.least, Math.min(ROW.most, share));
  const strokes = joined
    ? {
        weights: { ...whole, layers: 1, heads: 1, data: headWeights(whole, joined) },
        ...{ layer: 0, heads: [0] },
      }
    : { weights: whole, layer: place.layer, heads: pressed };
  const settings = { threshold: lines.threshold, theme, row };
  return { trace, kind, whole, place, joined, pressed, ...strokes, ...settings };
}
