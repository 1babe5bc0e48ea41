/** Which heads of each kind are shown large. */

import { hasHead, isOneHead, sameHead } from "../trace/choice.js";
import { KINDS } from "../trace/kinds.js";
import { openingHead, readingKind, shownBy } from "../trace/trace.js";

/** @import { State } from "./state.js" */
/** @import { Choice } from "../trace/choice.js" */
/** @import { Kind } from "../trace/kinds.js" */

/** Heads of a kind that can be read side by side. */
export const MAX_PINS = 4;

/** @type {(state: Pick<State, "pins">, kind: Kind, choice: Choice) => boolean} */
export function isPinned({ pins }, kind, choice) {
  return pins[kind]?.some((pin) => sameHead(pin, choice)) ?? false;
}

/**
 * The heads that a panel shows large: those pinned, then the chosen one if it is none of them. A
 * chosen one that finds no place takes the oldest pin's, for as long as it is chosen.
 *
 * @type {(state: Pick<State, "heads" | "pins">, kind: Kind) => Choice[]}
 */
export function shownHeads({ heads, pins }, kind) {
  const chosen = heads[kind];
  const pinned = pins[kind] ?? [];
  if (!chosen || pinned.some((pin) => sameHead(pin, chosen))) return pinned;
  return [...pinned, chosen].slice(-MAX_PINS);
}

/**
 * The layers that are looked at: those of the heads that are shown large, else of what each kind opens on.
 *
 * @param {import("../trace/trace.js").Trace} trace
 * @param {Pick<State, "heads" | "pins">} state
 * @returns {number[]}
 */
export function shownLayers(trace, state) {
  const layersOf = (/** @type {(kind: Kind) => (Choice | undefined)[]} */ of) =>
    KINDS.flatMap((kind) => (trace.weights[kind] ? of(kind) : [])).filter(isOneHead);
  const shown = layersOf((kind) => shownHeads(state, kind));
  const layers = (shown.length ? shown : layersOf((kind) => [shownBy(trace, kind)])).map(
    ({ layer }) => layer,
  );
  return [...new Set(layers)].sort((one, other) => one - other);
}

/**
 * What can still be looked at in another trace. A head that it lacks, and one that the last trace
 * had merely opened on, give way to the head that it opens on itself; pins that it lacks are dropped.
 *
 * @param {import("../trace/trace.js").Trace} trace
 * @param {Pick<State, "trace" | "heads" | "pins" | "kind">} state
 * @returns {Pick<State, "heads" | "pins" | "kind">}
 */
export function headsIn(trace, { trace: last, ...state }) {
  const shown = { heads: { ...state.heads }, pins: { ...state.pins }, kind: state.kind };
  if (!trace.weights[shown.kind]) shown.kind = readingKind(trace);
  // It was the only one there; the beam goes to the source again.
  else if (last && !last.weights.cross && trace.weights.cross) shown.kind = "cross";
  for (const kind of KINDS) {
    const weights = trace.weights[kind];
    if (!weights) continue;
    const chosen = state.heads[kind];
    const opened = last !== null && sameHead(chosen, openingHead(last, kind));
    if (!chosen || opened || !hasHead(chosen, weights)) {
      shown.heads[kind] = openingHead(trace, kind);
    }
    shown.pins[kind] = state.pins[kind]?.filter((pin) => hasHead(pin, weights));
  }
  return shown;
}
