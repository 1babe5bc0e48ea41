/** What a person sets beside what is shown: a branch, another sentence or model, moments of training. */

/** @typedef {import("./state.js").State} State */

/** @param {import("./store.js").Store<State>} store */
export function comparingActions(store) {
  return {
    /** @param {NonNullable<State["compared"]>} branch  the same again ends it */
    compare: (branch) => store.set({ compared: store.get().compared === branch ? null : branch }),
    /** @param {State["compared"]} compared */
    compareWith: (compared) => store.set({ compared, other: null, moments: null }),
    /** @param {NonNullable<State["other"]>} other */
    compareWithOther: (other) => store.set({ other, moments: null }),
    /** @param {State["moments"]} moments */
    compareMoments: (moments) => store.set({ moments, other: null }),
  };
}
