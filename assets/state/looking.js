/**
 * What a person does to look closer: heads, pins, zoom, colour, what is set beside what is shown, blocks of
 * the model's picture. Nothing here asks the server.
 */

import { coloringText } from "../draw/coloring.js";
import { FRAMES } from "../trace/arithmetic.js";
import { sameHead } from "../trace/choice.js";
import { withOpen } from "./address/parameter.js";
import { rememberChoice } from "./preferences.js";
import { isPinned, MAX_PINS, shownHeads } from "./shown_heads.js";

/** @import { State } from "./state.js" */
/** @import { Choice } from "../trace/choice.js" */
/** @import { Kind } from "../trace/kinds.js" */

/** @param {import("./store.js").Store<State>} store */
export function lookingActions(store) {
  /** @type {(kind: Kind, choice: Choice) => void} */
  function chooseHead(kind, choice) {
    // What is worked out is the same cell of the head that is looked at.
    const { picked } = store.get();
    if (picked?.kind === kind) store.set({ picked: { ...picked, ...choice } });
    store.set({ heads: { ...store.get().heads, [kind]: choice }, hover: null, letGo: null });
  }

  /**
   * Keeps a head beside those that are shown, which are kept too; a fifth lets go of the oldest.
   *
   * @type {(kind: Kind, choice: Choice) => void}
   */
  function pin(kind, choice) {
    const all = [
      ...shownHeads(store.get(), kind).filter((head) => !sameHead(head, choice)),
      choice,
    ];
    const gone = all.slice(0, -MAX_PINS);
    store.set({ pins: { ...store.get().pins, [kind]: all.slice(-MAX_PINS) } });
    chooseHead(kind, choice);
    store.set({ letGo: gone.length ? { kind, head: gone[0] } : null });
  }

  /** @type {(kind: Kind, choice: Choice) => void} */
  function unpin(kind, choice) {
    const { pins, heads } = store.get();
    const left = (pins[kind] ?? []).filter((head) => !sameHead(head, choice));
    store.set({ pins: { ...pins, [kind]: left }, hover: null, letGo: null });
    const last = left.at(-1);
    if (last && sameHead(heads[kind], choice)) chooseHead(kind, last);
  }

  /** @param {Kind} kind */
  function chooseKind(kind) {
    const { picked } = store.get();
    const own = picked?.kind === kind ? picked : null;
    store.set({ kind, hover: null, picked: own });
  }
  return {
    chooseHead,
    chooseKind,
    /**
     * Makes it the large one.
     *
     * @type {(kind: Kind, choice: Choice) => void}
     */
    enlarge(kind, choice) {
      chooseKind(kind);
      chooseHead(kind, choice);
    },
    /** @type {(kind: Kind, choice: Choice) => void} */
    togglePin: (kind, choice) => (isPinned(store.get(), kind, choice) ? unpin : pin)(kind, choice),
    /** @param {State["hover"]} hover */
    point: (hover) => store.set({ hover }),
    /** @param {State["token"]} token */
    pointToken: (token) => store.set({ token }),
    /**
     * Shows how a weight came about, beside its matrix, which is the large one from now on.
     *
     * @param {import("../trace/choice.js").Cell} picked
     */
    pick: (picked) => store.set({ picked, kind: picked.kind, tab: "attention" }),
    unpick: () => store.set({ picked: null, frame: FRAMES[0] }),
    /** @param {State["frame"]} frame  of the arithmetic */
    workTo: (frame) => store.set({ frame }),
    /** @param {State["tab"]} tab */
    openTab: (tab) => store.set({ tab, hover: null }),
    /**
     * Opens or closes what is folded.
     *
     * @param {string} fold  its title
     * @param {boolean} open
     */
    unfold(fold, open) {
      const { unfolded } = store.get();
      if (open !== unfolded.includes(fold)) store.set(withOpen(unfolded, fold, open));
    },
    /** @param {boolean} apart  whether parts of the model are offered to be taken away */
    takeApart: (apart) => store.set({ apart }),
    /** @param {import("./pair.js").PairFilter} pair  of two sentences, whose attention is shown */
    choosePair: (pair) => store.set({ pair, hover: null }),
    /** @param {State["picture"]} picture */
    drawAs: (picture) => store.set({ picture, hover: null }),
    /**
     * Changes what a part of the page is set to.
     *
     * @param {string} part  its key in the state
     * @param {object} change
     */
    adjust(part, change) {
      const state = /** @type {Record<string, any>} */ (store.get());
      store.set({ [part]: { ...state[part], ...change } });
    },
    /** @type {(kind: Kind, zoom: number) => void} */
    setZoom: (kind, zoom) => store.set({ zoom: { ...store.get().zoom, [kind]: zoom } }),
    /** @type {(kind: Kind, shown: boolean) => void} */
    showTable: (kind, shown) =>
      store.set({ tables: { ...store.get().tables, [kind]: shown }, hover: null }),
    /** @param {Partial<State["coloring"]>} change */
    changeColoring(change) {
      const coloring = { ...store.get().coloring, ...change };
      rememberChoice("coloring", coloringText(coloring));
      store.set({ coloring });
    },
    /** @param {NonNullable<State["compared"]>} branch  the same again ends it */
    compare: (branch) => store.set({ compared: store.get().compared === branch ? null : branch }),
    /** @param {State["compared"]} compared */
    compareWith: (compared) => store.set({ compared, other: null, moments: null }),
    /** @param {NonNullable<State["other"]>} other */
    compareWithOther: (other) => store.set({ other, moments: null }),
    /** @param {State["moments"]} moments */
    compareMoments: (moments) => store.set({ moments, other: null }),
    /** @param {boolean} hiding */
    hideNext: (hiding) => store.set({ hiding, hover: null }),
    /** @param {boolean} presenter */
    present: (presenter) => store.set({ presenter, hover: null, refused: null }),
  };
}
