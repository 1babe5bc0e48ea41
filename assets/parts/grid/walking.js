/** Pointing at a grid's cells, and walking them by arrow keys: one stop for the Tab key. */

/** @typedef {{row: number, column: number}} Place */
/** @typedef {import("./grid.js").GridView} GridView */

/** Between a cell and its tip, and what the tip needs above, in CSS pixels. */
const TIP = { distance: 8, room: 40 };

/** The keys that walk, and how far each goes. @type {Record<string, [down: number, across: number]>} */
const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

/**
 * Listens to the pointer and the arrow keys on a grid, and says which cell is meant.
 *
 * @param {GridView} grid
 * @param {object} to
 * @param {() => {rows: number, columns: number} | undefined} to.size  undefined: nothing is shown
 * @param {(place: Place | null) => void} to.point  null: at nothing any more
 * @param {(place: Place, event: PointerEvent) => void} [to.press]
 * @param {(place: Place, event: PointerEvent) => void} to.click
 * @param {() => Place} to.start  where one walks from
 * @param {(place: Place) => void} to.walk
 * @param {() => void} to.leave
 * @param {() => void} [to.enter]  the key
 */
export function walkGrid({ canvas, cells, layout, part }, to) {
  /** @type {(place: Place) => Place | null} */
  function within({ row, column }) {
    const size = to.size();
    if (!size) return null;
    return { row: clamp(row, size.rows - 1), column: clamp(column, size.columns - 1) };
  }

  /** @type {(act: ((place: Place, event: PointerEvent) => void) | undefined) => (event: PointerEvent) => void} */
  const under = (act) => (event) => {
    const { cellWidth, cellHeight } = layout() ?? {};
    if (!cellWidth || !cellHeight) return;
    const [row, column] = [event.offsetY / cellHeight, event.offsetX / cellWidth].map(Math.floor);
    const { row: top, column: left } = part();
    const place = within({ row: top + row, column: left + column });
    if (place) act?.(place, event);
  };

  canvas.addEventListener("pointermove", under(to.point));
  canvas.addEventListener("pointerdown", under(to.press));
  canvas.addEventListener("click", under(to.click));
  // A finger that is lifted leaves too, but its cell is still to be read.
  canvas.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") to.point(null);
  });

  /** @param {Place} place */
  function walk(place) {
    const there = within(place);
    if (there) to.walk(there);
  }
  // Who clicks here does not mean to walk: the arrow keys go on to step.
  cells.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement) activeElement.blur();
  });
  cells.addEventListener("focus", () => {
    if (cells.matches(":focus-visible")) walk(to.start());
  });
  cells.addEventListener("blur", to.leave);
  cells.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      cells.blur();
    }
    if (event.key === "Enter") to.enter?.();
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault(); // The page's own arrow keys step.
    const { row, column } = to.start();
    walk({ row: row + move[0], column: column + move[1] });
  });
}

/**
 * Scrolls a grid that has no room for all its cells as far as the cell asks for.
 *
 * @param {GridView} grid
 * @param {Place} place
 */
export function revealCell({ cells, layout, plot }, { row, column }) {
  const { cellWidth = 0, cellHeight = 0 } = layout() ?? {};
  const left = column * cellWidth - (plot.clientWidth - cells.offsetLeft - cellWidth);
  const top = row * cellHeight - (plot.clientHeight - cells.offsetTop - cellHeight);
  plot.scrollLeft = Math.min(column * cellWidth, Math.max(left, plot.scrollLeft));
  plot.scrollTop = Math.min(row * cellHeight, Math.max(top, plot.scrollTop));
}

/**
 * Places a tip without measuring it: the browser would have to lay the page out, and then again.
 *
 * @param {GridView} grid
 * @param {Place} place
 * @param {{left: number, top: number, over: boolean}} how  how far the plot is scrolled; `over`: the
 *   tip stands over the column's label, where it covers no cell
 */
export function placeTip({ layout, rows, tip }, { row, column }, { left, top, over }) {
  const { width, rowLabel, columnLabel, cellWidth, cellHeight } = layout() ?? {};
  if (!width || !rowLabel || !columnLabel || !cellWidth || !cellHeight) return;
  const middle = clamp(rows().length * rowLabel + (column + 0.5) * cellWidth - left, width);
  const share = (100 * middle) / width; // of its own width, so that it never sticks out
  const above = row * cellHeight - TIP.distance;
  const below = above < top + TIP.room;
  let [y, lift] = below ? [above + cellHeight + 2 * TIP.distance, 0] : [above, 100];
  if (over) [y, lift] = [-columnLabel, 100];
  tip.style.transform = `translate(calc(${left + middle}px - ${share}%), calc(${y}px - ${lift}%))`;
}

/** @type {(value: number, most: number) => number} */
function clamp(value, most) {
  return Math.max(0, Math.min(most, value));
}
