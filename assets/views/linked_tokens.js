/** Lists of tokens that light the matrices, and are lit by them. */

import { itemIndex } from "../kit/dom.js";
import { pointedTokens } from "../state/pointing.js";

/**
 * Makes the items of a list of tokens light the matrices, and be lit by them.
 *
 * @param {import("../state/actions.js").Context} context
 * @param {HTMLElement} list  its children are the tokens
 * @param {import("../trace/kinds.js").Side} side
 */
export function linkTokens({ store, actions, watch }, list, side) {
  list.addEventListener("pointerover", ({ target }) => {
    const index = itemIndex(list, target);
    const length = store.get().trace?.[side === "source" ? "src" : "tgt_in"].length ?? 0;
    actions.pointToken(index >= 0 && index < length ? { side, index } : null);
  });
  list.addEventListener("pointerleave", () => actions.pointToken(null));
  /** @type {Element[]} */
  let lit = [];
  watch(["hover", "token"], (state) => {
    for (const item of lit) item.classList.remove("lit");
    lit = pointedTokens(state)[side].flatMap((index) => list.children[index] ?? []);
    for (const item of lit) item.classList.add("lit");
  });
}
