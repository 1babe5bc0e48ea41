/** Words of a row that can be pressed: one stop for the Tab key, the arrows walk from word to word. */

import { itemIndex } from "../../kit/dom.js";

/**
 * @param {HTMLElement} list
 * @param {object} acts
 * @param {(index: number) => void} acts.press  a word
 * @param {(index: number) => void} acts.remove
 */
export function pressWords(list, { press, remove }) {
  list.addEventListener("click", ({ target }) => {
    const index = itemIndex(list, target);
    if (index >= 0) press(index);
  });

  list.addEventListener("keydown", (event) => {
    const here = itemIndex(list, event.target);
    const last = list.children.length - 1;
    const [left, right] = list.dir === "rtl" ? [here + 1, here - 1] : [here - 1, here + 1];
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: left, ArrowRight: right, Home: 0, End: last };
    const there = places[event.key];
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (here < 0 || modified) return;
    if (there !== undefined) {
      event.preventDefault();
      const next = list.children[Math.min(last, Math.max(0, there))]?.firstElementChild;
      for (const { firstElementChild: option } of list.children) {
        option?.setAttribute("tabindex", option === next ? "0" : "-1");
      }
      /** @type {HTMLElement | null} */ (next)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      press(here);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      remove(here);
    }
  });
}
