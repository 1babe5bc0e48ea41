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
    const cut = children.some((child) => {
      const box = child.getBoundingClientRect();
      return !child.hidden && (box.height === 0 || box.top >= bottom);
    });
    button.hidden = folded() && !cut;
  }

  // The Tab key scrolls what is folded into view; when it has gone on, the beginning is back.
  list.addEventListener("focusout", ({ relatedTarget }) => {
    if (folded() && !list.contains(/** @type {Node | null} */ (relatedTarget))) list.scrollTop = 0;
  });

  fold(false);
  new ResizeObserver(follow).observe(list);
  new MutationObserver(follow).observe(list, { childList: true });
  return button;
}
