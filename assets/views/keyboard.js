/** Keys that work anywhere on the page, except where a focused control has its own use for them. */

import { goBack, goForward } from "../state/address/address.js";
import { openKeys } from "./keys.js";
import { presenterKey } from "./presenter.js";

/** Menus and dialogs that are open. */
const OPEN = '[popover="auto"]:popover-open, dialog[open]';

/** What stands by the matrices, if these are of many tokens. @param {string} button */
function press(button) {
  const zooms = document.querySelectorAll(`.panel:not([hidden]) .zoom-bar:not([hidden]) ${button}`);
  for (const each of zooms) /** @type {HTMLElement} */ (each).click();
}

/**
 * @param {import("../state/store.js").Store<import("../state/state.js").State>} store
 * @param {import("../state/actions.js").Actions} actions
 * @param {import("../parts/question.js").Question[]} questions
 * @param {boolean} served  whether there is a server, to decode anew say
 */
export function listenToKeys(store, actions, questions, served) {
  /** @type {Record<string, () => void>} */
  const bindings = {
    ArrowLeft: actions.previous,
    ArrowRight: actions.next,
    Home: actions.first,
    End: actions.last,
    " ": actions.togglePlay,
    "+": () => press(".zoom-in"),
    "=": () => press(".zoom-in"), // the same key without Shift
    "-": () => press(".zoom-out"),
    h: () => actions.hideNext(!store.get().hiding),
    "?": openKeys,
    ...(served ? { x: actions.toggleHere, "Ctrl z": goBack, "Ctrl Shift z": goForward } : {}),
  };
  window.addEventListener("keydown", (event) => {
    // With Ctrl a letter's case is Caps Lock's as much as Shift's.
    const held = event.shiftKey ? "Ctrl Shift" : "Ctrl";
    const key = event.ctrlKey || event.metaKey ? `${held} ${event.key.toLowerCase()}` : event.key;
    const act = bindings[key] ?? presenterKey(store, actions, questions, key);
    const target = /** @type {Element} */ (event.target);
    // A capital letter, or a question mark, says itself that Shift is down.
    const modified = event.altKey || (event.shiftKey && !(key in bindings));
    // A report hides the picture that these would change.
    if (!act || modified || event.defaultPrevented || store.get().report) return;
    if (target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.closest("button, a, input")) return;
    if (event.key === "Escape" && document.querySelector(OPEN)) return; // it closes that
    event.preventDefault();
    act();
  });
}
