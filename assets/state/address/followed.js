/** What of an address a class follows: what is shown, and not how each person likes to see it. */

import { openParameters, written } from "./address.js";
import { PARAMETERS } from "./parameters.js";
import { QUESTION } from "./question.js";

/** @import { State } from "../state.js" */

/** One's own screen, colours and progress. */
const OWN = ["presenter", "colors", "solved", "start"];

const FOLLOWED = PARAMETERS.filter(({ name }) => !OWN.includes(name));

/** What must change for something else to be shown. */
export const FOLLOWED_KEYS = /** @type {(keyof State)[]} */ ([
  ...new Set(["trace", "question", "source", ...FOLLOWED.flatMap(({ keys }) => keys)]),
]);

/**
 * What is shown, as an address.
 *
 * @param {State} state
 * @returns {string | null}  null if nobody else could be shown it: it is from a file
 */
export function followedAddress(state) {
  const parts = state.report ? null : written(state, FOLLOWED);
  return parts && `?${new URLSearchParams(parts)}`;
}

/**
 * Shows what an address of a class says. Where it is of the trace that is shown, nothing is asked anew.
 *
 * @param {import("./address.js").Store} store
 * @param {import("../actions.js").Actions} actions
 * @param {string} text
 * @returns {Promise<boolean>}  whether it is shown
 */
export async function showFollowed(store, actions, text) {
  const address = new URLSearchParams(text);
  const shown = new URLSearchParams(followedAddress(store.get()) ?? "");
  const same = QUESTION.every((name) => address.get(name) === shown.get(name));
  return openParameters(store, actions, address, { parameters: FOLLOWED, same });
}
