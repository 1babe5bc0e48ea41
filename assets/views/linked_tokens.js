/** Lists of tokens that light the matrices, and are lit by them. */

import { itemIndex } from "../kit/dom.js";
import { pointedTokens } from "../state/pointing.js";

/**
 * What stands in a list: the source; or `<s>`, which is only read, and then what each step writes.
 *
 * @typedef {"source" | "target"} Row
 */

/**
 * Makes the items of a list of tokens light the matrices, and be lit by them.
 *
 * @param {import("../state/actions.js").Context} context
 * @param {HTMLElement} list  its children are the tokens
 * @param {Row} row
 */
export function linkTokens({ store, actions, watch }, list, row) {
  /** @param {number} index */
  function point(index) {
    if (index < 0) return;
    const written = row === "target" && index > 0;
    const token = written
      ? /** @type {const} */ ({ side: "written", index: index - 1 })
      : { side: row, index };
    const last = store.get().token;
    if (last?.side !== token.side || last.index !== token.index) actions.pointToken(token);
  }
  list.addEventListener("pointerover", ({ target }) => point(itemIndex(list, target)));
  list.addEventListener("pointerleave", () => actions.pointToken(null));
  // The keyboard points, too.
  list.addEventListener("focusin", ({ target }) => {
    if (/** @type {Element} */ (target).matches(":focus-visible")) point(itemIndex(list, target));
  });
  list.addEventListener("focusout", () => actions.pointToken(null));
  /** @type {Element[]} */
  let lit = [];
  watch(["hover", "token", "kind"], (state) => {
    for (const item of lit) item.classList.remove("lit");
    const { source, target, written } = pointedTokens(state);
    // A row of a matrix is the word that it writes; a column of the decoder's, the word that it reads.
    const { hover, token } = state;
    const read = hover?.kind === "decoder_self" ? [hover.key] : hover || !token ? [] : target;
    const rows = hover && hover.kind !== "encoder_self" ? [hover.query] : [];
    const at = row === "source" ? source : [...read, ...[...written, ...rows].map((i) => i + 1)];
    lit = at.flatMap((index) => list.children[index] ?? []);
    for (const item of lit) item.classList.add("lit");
  });
}
