/** The heads of large traces, asked for when they are shown, and those of their layer ahead of that. */

import { hasHead, headName, isOneHead } from "../../trace/choice.js";
import { addHeads } from "../../trace/large.js";
import { headCount, isHere } from "../../trace/weights.js";
import { placeOfLines } from "../lines.js";
import { NO_ANSWER, problemOf, Refused } from "../problem.js";
import { shownHeads } from "../shown_heads.js";

/** @import { State } from "../state.js" */
/** @import { Choice } from "../../trace/choice.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Weights } from "../../trace/weights.js" */
/** @typedef {{kind: Kind, choice: Choice}} Wanted */

/** Bytes of heads that the page holds; of more, those go that were not looked at for longest. */
const MOST = 96e6;

/** What says which heads are shown. */
const KEYS = /** @type {const} */ ([
  ...["trace", "before", "compared", "heads", "pins", "kind", "lines", "picture"],
]);

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("./ask.js").Ask} ask
 */
export function arrivingActions(store, ask) {
  /** Asked for, and not here yet. @type {WeakMap<Weights, Set<string>>} */
  const coming = new WeakMap();
  const held = holding(MOST);
  /** Ends what was asked for ahead of what is shown no more. */
  let ahead = new AbortController();

  /**
   * Asks for the heads of a trace that are not here.
   *
   * @param {Pick<Trace, "weights" | "request">} trace
   * @param {Wanted[]} wanted
   * @param {AbortSignal} [signal]
   */
  async function bring(trace, wanted, signal) {
    const missing = wanted.filter(({ kind, choice }) => {
      const weights = trace.weights[kind];
      if (!weights?.arrived || !hasHead(choice, weights)) return false;
      if (isHere(weights, choice)) held.touch(weights, headName(choice));
      return !isHere(weights, choice) && !coming.get(weights)?.has(headName(choice));
    });
    if (!missing.length || !trace.request) return;
    let marked = false;
    const mark = (/** @type {boolean} */ on) => {
      if (marked === on) return;
      marked = on;
      for (const { kind, choice } of missing) {
        const weights = /** @type {Weights} */ (trace.weights[kind]);
        const own = coming.get(weights) ?? new Set();
        coming.set(weights, own);
        own[on ? "add" : "delete"](headName(choice));
      }
    };
    mark(true);
    // At once: what ends this asks for some of the same.
    signal?.addEventListener("abort", () => mark(false));
    try {
      await addHeads(trace, await fetchHeads(ask, trace.request, missing, signal));
      for (const { kind, choice } of missing) {
        held.touch(/** @type {Weights} */ (trace.weights[kind]), headName(choice));
      }
      mark(false);
      store.set({ arrivals: store.get().arrivals + 1 });
    } catch (error) {
      mark(false);
      if (!signal?.aborted) store.set({ problem: problemOf(error) });
    }
  }

  /** @param {State} state */
  async function follow(state) {
    const traces = [state.trace, state.before, state.compared?.trace ?? null];
    const shown = Object.keys(state.heads).flatMap((kind) =>
      shownHeads(state, /** @type {Kind} */ (kind)).map((choice) => ({
        ...{ kind: /** @type {Kind} */ (kind), choice },
      })),
    );
    ahead.abort();
    ahead = new AbortController();
    const { signal } = ahead;
    for (const trace of traces) {
      if (trace?.request) await bring(trace, shown);
    }
    if (state.trace?.request && !signal.aborted) {
      await bring(state.trace, layersOf(state, state.trace), signal);
    }
  }

  store.watch([...KEYS], (state) => void follow(state));
  return {
    /**
     * Asks for heads that nothing of the state shows.
     *
     * @param {Kind} kind
     * @param {Choice[]} choices
     * @param {Pick<Trace, "weights" | "request"> | null} [trace]  by default, the one that is shown
     */
    async bringHeads(kind, choices, trace = store.get().trace) {
      const wanted = choices.map((choice) => ({ kind, choice }));
      if (trace?.request) await bring(trace, wanted);
    },
  };
}

/**
 * All heads of the layers that are looked at: whoever looks at one turns to its neighbours.
 *
 * @param {State} state
 * @param {Trace} trace
 * @returns {Wanted[]}
 */
function layersOf(state, trace) {
  const weights = trace.weights[state.kind];
  if (!weights) return [];
  const lines = state.picture === "lines" ? placeOfLines(state) : null;
  const layers = new Set([
    ...shownHeads(state, state.kind)
      .filter(isOneHead)
      .map(({ layer }) => layer),
    ...(lines?.kind === state.kind ? [lines.layer] : []),
  ]);
  const size = 4 * weights.queries * weights.keys;
  return [...layers].flatMap((layer) => {
    const count = headCount(weights, layer);
    if (count * size > MOST / 2) return [];
    return Array.from({ length: count }, (_, head) => ({
      ...{ kind: state.kind, choice: { layer, head } },
    }));
  });
}

/** @type {(ask: import("./ask.js").Ask, request: Record<string, unknown>, wanted: Wanted[], signal?: AbortSignal) => Promise<import("../../trace/large.js").SentHeads>} */
async function fetchHeads(ask, request, wanted, signal) {
  const heads = wanted.map(({ kind, choice }) => `${kind}.${headName(choice)}`);
  for (;;) {
    const { weights, waiting, error } = await ask({ ask: "weights", ...request, heads }, signal);
    if (weights) return weights;
    // The server computes anew what it has not kept.
    if (!waiting || signal?.aborted) throw new Refused(error ?? NO_ANSWER);
  }
}

/**
 * Which heads are kept: those that were looked at last, within so many bytes.
 *
 * @param {number} most
 */
export function holding(most) {
  /** Oldest first. @type {{weights: Weights, name: string}[]} */
  let held = [];
  const bytesOf = (/** @type {typeof held[number]} */ { weights, name }) =>
    weights.arrived?.get(name)?.byteLength ?? 0;
  return {
    /** @type {(weights: Weights, name: string) => void} */
    touch(weights, name) {
      held = held.filter((one) => one.weights !== weights || one.name !== name);
      held.push({ weights, name });
      let size = held.reduce((sum, one) => sum + bytesOf(one), 0);
      while (size > most && held.length > 1) {
        const [oldest] = held.splice(0, 1);
        size -= bytesOf(oldest);
        oldest.weights.arrived?.delete(oldest.name);
      }
    },
  };
}
