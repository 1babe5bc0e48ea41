/** Walking the grid of all heads by key. */

import { targetOf } from "../../trace/changes.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */

/**
 * One stop for the Tab key; the arrows walk the grid from there.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {() => {choices: Choice[][], cells: HTMLElement[][]}} shown  a cell for each, row by row
 * @param {(choice: Choice) => void} [choose]
 */
export function overviewKeys(
  { actions, served },
  kind,
  shown,
  choose = (choice) => actions.chooseHead(kind, choice),
) {
  return (/** @type {KeyboardEvent} */ event) => {
    const { choices, cells } = shown();
    const target = /** @type {HTMLElement} */ (event.target);
    const y = cells.findIndex((row) => row.includes(target));
    if (y < 0) return;
    const x = cells[y].indexOf(target);
    const there = target.ariaDisabled !== "true";
    if (there && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      if (event.shiftKey) actions.togglePin(kind, choices[y][x]);
      else choose(choices[y][x]);
    }
    const changed = there && event.key === "x" && served && targetOf(kind, choices[y][x]);
    if (changed) {
      event.preventDefault();
      actions.toggleEffect(changed);
    }
    /** @type {Record<string, HTMLElement | undefined>} */
    const targets = {
      ArrowLeft: cells[y][x - 1],
      ArrowRight: cells[y][x + 1],
      ArrowUp: cells[y - 1]?.[x],
      ArrowDown: cells[y + 1]?.[x],
      Home: cells[y][0],
      End: cells[y].at(-1),
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    targets[event.key]?.focus();
  };
}
