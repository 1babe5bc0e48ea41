/** Pointing at a map's cells, and walking them by arrow keys: each is told in words. */

import { plainToken } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { MOVES } from "../../kit/moves.js";

/** @typedef {{row: number, column: number}} Place */

/** Between a cell and its tip, and what the tip needs above, in CSS pixels. */
const TIP = { distance: 8, room: 40 };

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {object} map
 * @param {HTMLCanvasElement} map.canvas
 * @param {HTMLElement} map.cells
 * @param {HTMLElement} map.tip
 * @param {(row: number) => boolean} map.ahead  whether a row is hidden
 * @param {() => void} map.mark  draws the marks anew
 * @param {() => import("./drawn.js").Drawn | undefined} map.drawn
 * @param {() => import("../../draw/layout.js").Layout | undefined} map.layout
 * @returns {{spoken: HTMLElement, pointed: () => Place | null, forget: () => void}}
 */
export function walkMap({ store, actions, t }, map) {
  const { canvas, cells, tip } = map;
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  /** @type {Place | null} */
  let pointed = null;

  /** @param {Place | null} place */
  function point(place) {
    const [drawn, layout] = [map.drawn(), map.layout()];
    pointed = drawn && layout ? place : null;
    tip.hidden = pointed === null;
    map.mark();
    if (!pointed || !drawn || !layout) return;
    const { row, column } = pointed;
    tip.textContent = sentence(drawn, pointed);
    const { cellWidth, cellHeight, rowLabel } = layout;
    const middle = drawn.rows.length * rowLabel + (column + 0.5) * cellWidth;
    const share = (100 * middle) / layout.width; // of its own width, so that it never sticks out
    const above = row * cellHeight - TIP.distance;
    const [y, lift] = above < TIP.room ? [above + cellHeight + 2 * TIP.distance, 0] : [above, 100];
    tip.style.transform = `translate(calc(${middle}px - ${share}%), calc(${y}px - ${lift}%))`;
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

  /** @param {PointerEvent} event */
  function under({ offsetX, offsetY }) {
    const [drawn, layout] = [map.drawn(), map.layout()];
    if (!drawn || !layout) return null;
    return within(drawn, {
      row: Math.floor(offsetY / layout.cellHeight),
      column: Math.floor(offsetX / layout.cellWidth),
    });
  }

  canvas.addEventListener("pointermove", (event) => {
    const place = under(event);
    if (place?.row !== pointed?.row || place?.column !== pointed?.column) point(place);
  });
  canvas.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") point(null);
  });
  canvas.addEventListener("click", (event) => {
    const place = under(event);
    if (place) point(place);
    const [step] = (place && map.drawn()?.steps?.[place.row]) ?? [];
    if (step !== undefined) actions.goTo(step);
  });
  // Who clicks here does not mean to walk: the arrow keys go on to step.
  cells.addEventListener("mousedown", (event) => event.preventDefault());
  cells.addEventListener("focus", () => {
    if (cells.matches(":focus-visible")) walkTo(pointed ?? start());
  });
  cells.addEventListener("blur", () => {
    spoken.textContent = "";
    point(null);
  });
  cells.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") cells.blur();
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault(); // the page's own arrow keys step
    event.stopPropagation();
    const { row, column } = pointed ?? start();
    walkTo({ row: row + move[0], column: column + move[1] });
  });

  function start() {
    const { step } = store.get();
    const read = map.drawn()?.steps?.filter(([first]) => first <= step) ?? [];
    return { row: Math.max(0, read.length - 1), column: 0 };
  }

  /** @param {Place} place */
  function walkTo(place) {
    const drawn = map.drawn();
    if (!drawn) return;
    const there = within(drawn, place);
    point(there);
    spoken.textContent = sentence(drawn, there);
  }

  return { spoken, pointed: () => pointed, forget: () => point(null) };
}

/** @type {(drawn: import("./drawn.js").Drawn, place: Place) => Place} */
function within({ numbers }, { row, column }) {
  return {
    row: Math.max(0, Math.min(numbers.rows - 1, row)),
    column: Math.max(0, Math.min(numbers.columns - 1, column)),
  };
}
