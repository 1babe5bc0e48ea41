/** What of an address a class follows: what is shown, and not how each person likes to see it. */

import { openParameters, written } from "./address.js";
import { QUESTION } from "./question.js";

/** @import { State } from "../state.js" */
/** @import { Open, Store } from "./address.js" */
/** @import { Parameter } from "./parameter.js" */
/** @typedef {ReturnType<typeof followed>} Followed */

/** One's own screen, colours and progress. */
const OWN = ["presenter", "colors", "solved", "start"];

/** @param {Parameter<any>[]} all  of looking */
export function followed(all) {
  const parameters = all.filter(({ name }) => !OWN.includes(name));

  /**
   * @param {State} state
   * @returns {string | null}
   */
  function addressOf(state) {
    const parts = state.report ? null : written(state, parameters);
    return parts && `?${new URLSearchParams(parts)}`;
  }

  return {
    /** What must change for something else to be shown. */
    keys: /** @type {(keyof State)[]} */ ([
      ...new Set(["trace", "question", "source", ...parameters.flatMap(({ keys }) => keys)]),
    ]),

    /** What is shown, as an address; null if nobody else could be shown it: it is from a file. */
    addressOf,

    /**
     * Shows what an address of a class says. Where it is of the trace that is shown, nothing is asked
     * anew.
     *
     * @param {Store} store
     * @param {Open} open
     * @param {string} text
     * @returns {Promise<boolean>}  whether it is shown
     */
    async show(store, open, text) {
      const address = new URLSearchParams(text);
      const shown = new URLSearchParams(addressOf(store.get()) ?? "");
      const same = QUESTION.every((name) => address.get(name) === shown.get(name));
      return openParameters(store, open, parameters, address, same);
    },
  };
}
