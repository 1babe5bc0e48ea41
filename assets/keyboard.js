/** Keys that work anywhere on the page, except where a focused control has its own use for them. */

import { presenterKey } from "./presenter.js";

/**
 * @param {import("./store.js").Store<import("./actions.js").State>} store
 * @param {import("./actions.js").Actions} actions
 */
export function listenToKeys(store, actions) {
  /** @type {Record<string, () => void>} */
  const bindings = {
    ArrowLeft: actions.previous,
    ArrowRight: actions.next,
    Home: actions.first,
    End: actions.last,
    " ": actions.togglePlay,
  };
  window.addEventListener("keydown", (event) => {
    const act = bindings[event.key] ?? presenterKey(store, actions, event.key);
    const target = /** @type {Element} */ (event.target);
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (!act || modified || event.defaultPrevented) return;
    if (target.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.closest("button, a")) return;
    event.preventDefault();
    act();
  });
}
