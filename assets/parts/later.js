/** What is made of a module that comes after the first picture, asked for until it is there. */

import { h } from "../kit/dom.js";

/** @import { State } from "../state/state.js" */

/** Milliseconds until a module that did not come is asked for again: from the first to the longest. */
const FIRST = 1_000;
const LONGEST = 15_000;

/**
 * An element in whose place another stands once its module is there.
 *
 * @template Module
 * @param {() => Promise<Module>} bring
 * @param {(module: Module) => Node} make
 */
export function later(bring, make) {
  const place = h("div", { "aria-busy": "true" });
  untilThere(bring).then((module) => {
    // Else the page was drawn anew meanwhile.
    if (place.isConnected) place.replaceWith(make(module));
  });
  return place;
}

/**
 * A view that comes once there is something for it to show. It is told whether a person has just asked
 * for that, rather than a link or a page that is drawn anew.
 *
 * @template {import("../state/actions.js").Context} Context
 * @param {(keyof State)[]} keys  what it hangs on
 * @param {(state: State) => boolean} isWanted
 * @param {() => Promise<(context: Context, isAsked: boolean) => Node>} bring
 * @returns {(context: Context) => Node}
 */
export function onceWanted(keys, isWanted, bring) {
  return (context) => {
    const place = h("div", { hidden: true });
    let asked = false;
    context.watch(keys, async (state) => {
      if (asked || !isWanted(state)) return;
      asked = true;
      const isAsked = place.closest("[data-ready]") !== null;
      const view = await untilThere(bring);
      if (place.isConnected) place.replaceWith(view(context, isAsked));
    });
    return place;
  };
}

/**
 * A connection may be cut in the middle of a file.
 *
 * @template Module
 * @param {() => Promise<Module>} bring
 */
async function untilThere(bring) {
  for (let tries = 0; ; tries++) {
    try {
      return await bring();
    } catch {
      await new Promise((wait) => setTimeout(wait, Math.min(FIRST * 2 ** tries, LONGEST)));
    }
  }
}
