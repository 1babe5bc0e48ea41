/** Where on the tour a person is, and what the page shows there. */

import { PARAMETERS } from "./parameters.js";
import { STOP_COUNT } from "./state.js";

/** What a stop does away with unless its address says it: what was opened before hides the next. */
const CLEARED = ["cell", "next", "block"];

/** @param {import("./store.js").Store<import("./state.js").State>} store */
export function touringActions(store) {
  return {
    /** @param {number | null} tour  the stop, from 0; null ends the tour */
    tourTo(tour) {
      const within = tour !== null && tour >= 0 && tour < STOP_COUNT;
      store.set(within ? { tour, report: null } : { tour: null, hiding: false });
    },
    /**
     * Shows what an address says of looking; the sentence and its translation stay.
     *
     * @param {string} address
     */
    look(address) {
      const asked = new URLSearchParams(address);
      /** @type {Partial<import("./state.js").State>} */
      let patch = {};
      for (const { name, read, absent } of PARAMETERS) {
        const state = { ...store.get(), ...patch };
        const text = asked.get(name);
        const part = text === null ? null : read(text, state);
        patch = { ...patch, ...(part ?? (CLEARED.includes(name) ? absent?.(state) : {})) };
      }
      store.set(patch);
    },
  };
}
