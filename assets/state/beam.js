/** Which beam is shown: the current step's, or that of the word that is pointed at. */

import { raysOf } from "../trace/beam.js";
import { decodes, isStep } from "../trace/kinds.js";
import { openingHead } from "../trace/trace.js";
import { headWeights, isHere, strongestKey } from "../trace/weights.js";
import { amongPair } from "./pair.js";
import { shownHeads } from "./shown_heads.js";

/** @import { State } from "./state.js" */
/** @import { Focus } from "../trace/beam.js" */
/** @import { Kind } from "../trace/kinds.js" */

/** What the beam is drawn of: whoever watches it watches these. */
export const BEAM_KEYS = /** @type {const} */ ([
  ...["trace", "kind", "step", "heads", "pins", "hover", "token", "pair", "arrivals"],
]);

/**
 * @typedef {object} Beam
 * @property {Kind} kind
 * @property {import("../trace/choice.js").Choice[]} choices  whose rays they are
 * @property {Focus} focus
 * @property {boolean} pointed  rather than the current step's
 * @property {number | null} accent  the one column that is pointed at in a matrix
 * @property {import("../trace/beam.js").Ray[]} rays
 * @property {((query: number, key: number) => boolean) | undefined} [among]  which cells are shown; undefined: all
 * @property {Float32Array | null} row  weights of the chosen head in the row
 */

/** @typedef {Pick<State, typeof BEAM_KEYS[number]>} Looking */

/** The last one: several views ask for the same. @type {{state: Looking, beam: Beam | null} | null} */
let last = null;

/**
 * @param {Looking} state
 * @returns {Beam | null}  null without a trace
 */
export function shownBeam(state) {
  const same = last && BEAM_KEYS.every((key) => last?.state[key] === state[key]);
  if (!same || !last) last = { state, beam: beamOf(state) };
  return last.beam;
}

/** @type {(state: Looking) => Beam | null} */
function beamOf(state) {
  const { trace, kind, step, hover } = state;
  const weights = trace?.weights[kind];
  const chosen = state.heads[kind];
  if (!trace || !weights || !chosen) return null;
  const choices = state.pins[kind]?.length ? shownHeads(state, kind) : [chosen];
  const pointed = pointedFocus(state);
  const focus = pointed ?? { query: askingRow(state), key: null };
  const last = decodes(kind) ? step : weights.queries - 1;
  const { query } = focus;
  const [rays, among] = [raysOf(weights, kind, choices, focus, last), amongPair(state, kind)];
  return {
    ...{ kind, choices, focus, pointed: pointed !== null },
    accent: hover?.kind === kind ? hover.key : null,
    rays: among ? rays.filter(({ query, key }) => among(query, key)) : rays,
    among,
    row:
      query === null || !isHere(weights, chosen)
        ? null
        : headWeights(weights, chosen).subarray(query * weights.keys, (query + 1) * weights.keys),
  };
}

/**
 * @param {Looking} state
 * @returns {Focus | null}  null: nothing is pointed at that has a beam here
 */
function pointedFocus({ trace, kind, step, hover, token }) {
  const last = decodes(kind) ? step : Infinity;
  if (hover?.kind === kind) return hover.query <= last ? { query: hover.query, key: null } : null;
  if (token?.side === "written" && decodes(kind) && token.index <= last) {
    return { query: token.index, key: null };
  }
  if (token?.side !== "source" || token.index >= (trace?.src.length ?? 0)) return null;
  if (kind === "cross") return { query: null, key: token.index };
  return kind === "encoder_self" ? { query: token.index, key: null } : null;
}

/**
 * The row whose beam is shown while nothing is pointed at: the step's; in the encoder, without steps,
 * the word's that the step reads.
 *
 * @param {Pick<State, "trace" | "kind" | "step" | "heads">} state
 */
export function askingRow({ trace, kind, step, heads }) {
  if (trace ? isStep(trace, kind) : decodes(kind)) return step;
  const cross = trace?.weights.cross;
  const choice = heads.cross ?? (trace && openingHead(trace, "cross"));
  return cross && choice ? strongestKey(cross, choice, step) : 0;
}
