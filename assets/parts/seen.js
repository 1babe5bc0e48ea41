/** What follows the store only while somebody can see what comes of it, or while it means something. */

import { whenSeen } from "../kit/visibility.js";

/** @import { Context } from "../state/actions.js" */

/**
 * A context whose `watch` waits for its element to be seen, and then runs what has changed.
 *
 * @template {object} Own
 * @param {Context<Own>} context
 * @param {Element} element
 * @returns {Context<Own>}
 */
export function whileSeen(context, element) {
  const run = whenSeen(element);
  return {
    ...context,
    watch(keys, follow) {
      const now = () => follow(context.store.get());
      context.watch(keys, () => run(now));
    },
  };
}

/**
 * The same for a whole tab: what has changed meanwhile runs when it is opened.
 *
 * @template {object} Own
 * @param {Context<Own>} context
 * @param {string} own  the tab
 * @returns {Context<Own>}
 */
export function whileOpen(context, own) {
  return {
    ...context,
    watch(keys, follow) {
      let missed = false;
      context.watch(keys, (state) => {
        if (state.tab === own) follow(state);
        else missed = true;
      });
      context.watch(["tab"], (state) => {
        if (!missed || state.tab !== own) return;
        missed = false;
        follow(state);
      });
    },
  };
}

/**
 * A context whose `watch` leaves out what happens while something does not hold.
 *
 * @template {object} Own
 * @param {Context<Own>} context
 * @param {(state: import("../state/state.js").State) => boolean} holds
 * @returns {Context<Own>}
 */
export function whileTrue(context, holds) {
  return {
    ...context,
    watch: (keys, follow) => context.watch(keys, (state) => holds(state) && follow(state)),
  };
}
