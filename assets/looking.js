/** What a person does to look closer: heads, pins, zoom, colour. Nothing here asks the server. */

import { hasHead, MAX_PINS, sameHead, shownHeads } from "./head.js";
import { KINDS } from "./trace.js";

/** @typedef {import("./actions.js").State} State */
/** @typedef {import("./head.js").Choice} Choice */
/** @typedef {import("./trace.js").Kind} Kind */

/** @param {import("./store.js").Store<State>} store */
export function lookingActions(store) {
  /** @type {(kind: Kind, choice: Choice) => void} */
  function chooseHead(kind, choice) {
    store.set({ kind, heads: { ...store.get().heads, [kind]: choice }, hover: null });
  }

  /**
   * Keeps a head beside those that are shown, which are kept too; a fifth lets go of the oldest.
   *
   * @type {(kind: Kind, choice: Choice) => void}
   */
  function pin(kind, choice) {
    const others = shownHeads(store.get(), kind).filter((head) => !sameHead(head, choice));
    store.set({ pins: { ...store.get().pins, [kind]: [...others, choice].slice(-MAX_PINS) } });
    chooseHead(kind, choice);
  }

  /** @type {(kind: Kind, choice: Choice) => void} */
  function unpin(kind, choice) {
    const { pins, heads } = store.get();
    const left = (pins[kind] ?? []).filter((head) => !sameHead(head, choice));
    store.set({ pins: { ...pins, [kind]: left }, hover: null });
    const last = left.at(-1);
    if (last && sameHead(heads[kind], choice)) chooseHead(kind, last);
  }

  return {
    chooseHead,
    /** @type {(kind: Kind, choice: Choice) => void} */
    togglePin: (kind, choice) => (isPinned(store.get(), kind, choice) ? unpin : pin)(kind, choice),
    /** @param {State["hover"]} hover */
    point: (hover) => store.set({ hover }),
    /** @param {string} tab */
    openTab: (tab) => store.set({ tab }),
    /** @param {Partial<State["lines"]>} change */
    drawLines: (change) => store.set({ lines: { ...store.get().lines, ...change } }),
    /**
     * Shows how a weight came about.
     *
     * @param {import("./trace.js").Cell} picked
     */
    pick: (picked) => store.set({ picked, tab: "worked_out" }),
    /** @param {State["token"]} token */
    pointToken: (token) => store.set({ token }),
    /** @type {(kind: Kind, zoom: number) => void} */
    magnify: (kind, zoom) => store.set({ zoom: { ...store.get().zoom, [kind]: zoom } }),
    /** @type {(kind: Kind, shown: boolean) => void} */
    tabulate: (kind, shown) =>
      store.set({ tables: { ...store.get().tables, [kind]: shown }, hover: null }),
    /** @param {Partial<State["look"]>} change */
    color: (change) => store.set({ look: { ...store.get().look, ...change } }),
    /** @param {Kind} kind */
    chooseKind: (kind) => store.set({ kind, hover: null }),
    /** @param {boolean} presenter */
    present: (presenter) => store.set({ presenter, hover: null }),
  };
}

/** @type {(state: Pick<State, "pins">, kind: Kind, choice: Choice) => boolean} */
export function isPinned({ pins }, kind, choice) {
  return pins[kind]?.some((pin) => sameHead(pin, choice)) ?? false;
}

/**
 * What can still be looked at in another trace: heads that it lacks give way to its last layer's
 * first, pins are dropped.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {Pick<State, "heads" | "pins" | "kind">} state
 * @returns {Pick<State, "heads" | "pins" | "kind">}
 */
export function keepLooking({ weights }, state) {
  const kept = { heads: { ...state.heads }, pins: { ...state.pins }, kind: state.kind };
  if (!weights[kept.kind]) kept.kind = "decoder_self";
  for (const kind of KINDS) {
    const there = weights[kind];
    if (!there) continue;
    const chosen = state.heads[kind];
    if (!chosen || !hasHead(chosen, there)) kept.heads[kind] = { layer: there.layers - 1, head: 0 };
    kept.pins[kind] = state.pins[kind]?.filter((pin) => hasHead(pin, there));
  }
  return kept;
}
