/** A list that shows its beginning, and all of itself when asked. */

import { h } from "./dom.js";

/**
 * What "its beginning" is, the style sheet says: of a list of class `folded`. A list that is whole
 * anyway needs no button, and has none.
 *
 * @param {HTMLElement} list
 * @param {{more: string, less: string}} words
 * @returns {HTMLButtonElement}  that unfolds it, and folds it again
 */
export function foldButton(list, words) {
  const button = h("button", { class: "fold", click: () => fold(folded()) });
  const folded = () => list.classList.contains("folded");

  /** @param {boolean} open */
  function fold(open) {
    list.classList.toggle("folded", !open);
    button.ariaExpanded = String(open);
    button.textContent = open ? words.less : words.more;
    follow();
  }

  function follow() {
    // Measured without the button: with it, what stands beside the list may move to another line, the
    // list be whole, and the button go again, for ever.
    button.hidden = true;
    const children = /** @type {HTMLElement[]} */ ([...list.children]);
    const { bottom } = list.getBoundingClientRect();
    const away = children.filter((child) => {
      const box = child.getBoundingClientRect();
      const out = box.height === 0 || box.top >= bottom;
      // Neither the Tab key nor a screen reader finds what nobody sees.
      child.inert = folded() && out;
      return !child.hidden && out;
    });
    button.hidden = folded() && !away.length;
  }

  fold(false);
  new ResizeObserver(follow).observe(list);
  new MutationObserver(follow).observe(list, { childList: true });
  return button;
}
