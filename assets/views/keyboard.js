/** Keys that work anywhere on the page, except where a focused control has its own use for them. */

import { presenterKey } from "./presenter.js";

/** Menus and dialogs that are open. */
const OPEN = '[popover="auto"]:popover-open, dialog[open]';

/**
 * @param {import("../state/store.js").Store<import("../state/state.js").State>} store
 * @param {import("../state/actions.js").Actions} actions
 * @param {boolean} served  whether there is a server, to decode anew say
 */
export function listenToKeys(store, actions, served) {
  /** @type {Record<string, () => void>} */
  const bindings = {
    ArrowLeft: actions.previous,
    ArrowRight: actions.next,
    Home: actions.first,
    End: actions.last,
    " ": actions.togglePlay,
    h: () => actions.hideNext(!store.get().hiding),
    ...(served ? { x: actions.toggleHere } : {}),
  };
  window.addEventListener("keydown", (event) => {
    const act = bindings[event.key] ?? presenterKey(store, actions, event.key);
    const target = /** @type {Element} */ (event.target);
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    // A report hides the picture that these would change.
    if (!act || modified || event.defaultPrevented || store.get().report) return;
    if (target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.closest("button, a, input")) return;
    if (event.key === "Escape" && document.querySelector(OPEN)) return; // it closes that
    event.preventDefault();
    act();
  });
}
