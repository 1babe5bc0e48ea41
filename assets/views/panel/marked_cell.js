/** A head's cell among others: chosen, changed, pinned. */

import { isPinned } from "../../state/shown_heads.js";
import { effectOn, targetOf } from "../../trace/changes.js";

/** @type {(cell: HTMLElement | undefined, now: boolean) => void} */
export function select(cell, now) {
  if (!cell) return;
  cell.ariaSelected = String(now);
  cell.tabIndex = now ? 0 : -1;
}

/**
 * Whether a head is changed, or pinned.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("../../state/state.js").State} state
 * @param {HTMLElement} cell  the head's
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {import("../../trace/choice.js").Choice} choice
 */
export function markChange(t, state, cell, kind, choice) {
  const effect = effectOn(state.trace?.interventions ?? [], targetOf(kind, choice));
  if (cell.classList.toggle("changed", effect !== null) || cell.ariaDescription) {
    cell.ariaDescription = effect && t(`change.${effect}`);
  }
  cell.classList.toggle("pinned", isPinned(state, kind, choice));
}
