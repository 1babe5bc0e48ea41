/** What follows the store only while somebody can see what comes of it. */

import { whenSeen } from "../kit/visibility.js";

/** @import { Context } from "../state/actions.js" */

/**
 * A context whose `watch` waits for its element to be seen, and then runs what has changed.
 *
 * @param {Context} context
 * @param {Element} element
 * @returns {Context}
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
 * @param {Context} context
 * @param {import("../state/state.js").Tab} own
 * @returns {Context}
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
