/** Pointing at a map's cells, and walking them: each is told in words. */

import { plainToken } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { placeTip, revealCell, walkGrid } from "../grid/walking.js";

/** @import { Place } from "../grid/walking.js" */

/**
 * Handlers of pointing and of the arrow keys on a map's grid, which say the number of a cell, in a tip and
 * aloud; a click goes to the step of the cell's row.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../grid/grid.js").GridView} grid
 * @param {object} map
 * @param {(row: number) => boolean} map.ahead  whether a row is hidden
 * @param {() => void} map.mark  draws the marks anew
 * @param {() => import("./drawn.js").Drawn | undefined} map.drawn
 * @returns {{spoken: HTMLElement, pointed: () => Place | null, forget: () => void}}
 */
export function walkMap({ store, actions, t }, grid, map) {
  const { tip } = grid;
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  /** @type {Place | null} */
  let pointed = null;

  /** @param {Place | null} place */
  function point(place) {
    if (place?.row === pointed?.row && place?.column === pointed?.column) return;
    const drawn = map.drawn();
    pointed = drawn && grid.layout() ? place : null;
    tip.hidden = pointed === null;
    map.mark();
    if (!pointed || !drawn) return;
    tip.textContent = sentence(drawn, pointed);
    placeTip(grid, pointed, { ...grid.scrolled, over: false });
  }

  /** @type {(drawn: import("./drawn.js").Drawn, place: Place) => string} */
  function sentence({ rows, columns, numbers, none, text, unit }, { row, column }) {
    if (map.ahead(row)) return t("tip.ahead");
    const value = numbers.values[row * numbers.columns + column];
    return t("map.cell", {
      row: rows.map(([, labels]) => plainToken(labels[row])).join(" → "),
      column: plainToken(columns[column]),
      value: Number.isNaN(value) ? (none ?? t("map.none")) : `${text(value)} ${unit}`.trim(),
    });
  }

  function start() {
    const { step } = store.get();
    const read = map.drawn()?.steps?.filter(([first]) => first <= step) ?? [];
    return pointed ?? { row: Math.max(0, read.length - 1), column: 0 };
  }

  walkGrid(grid, {
    size: () => map.drawn()?.numbers,
    point,
    click(place) {
      point(place);
      const [step] = map.drawn()?.steps?.[place.row] ?? [];
      if (step !== undefined) actions.goTo(step);
    },
    start,
    walk(place) {
      revealCell(grid, place);
      point(place);
      const drawn = map.drawn();
      if (drawn) spoken.textContent = sentence(drawn, place);
    },
    leave() {
      spoken.textContent = "";
      point(null);
    },
  });
  return { spoken, pointed: () => pointed, forget: () => point(null) };
}
