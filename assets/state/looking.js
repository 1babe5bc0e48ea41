/**
 * What a person does to look closer: zoom, colour, what is set beside what is shown. Nothing here asks the
 * server.
 */

import { coloringText } from "../draw/coloring.js";
import { FRAMES } from "../trace/arithmetic.js";
import { withOpen } from "./address/parameter.js";
import { headActions } from "./choosing.js";
import { rememberChoice } from "./preferences.js";

/** @import { State } from "./state.js" */
/** @import { Kind } from "../trace/kinds.js" */

/** @param {import("./store.js").Store<State>} store */
export function lookingActions(store) {
  return {
    ...headActions(store),
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
    /** @param {State["tempered"]} tempered */
    temper: (tempered) => store.set({ tempered }),
    /** @param {boolean} hiding */
    hideNext: (hiding) => store.set({ hiding, hover: null }),
    /** @param {boolean} presenter */
    present: (presenter) => store.set({ presenter, hover: null, refused: null }),
  };
}
