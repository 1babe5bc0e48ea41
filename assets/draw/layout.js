/** How large the cells of a matrix can be beside its labels, and which labels there is room for. */

import { areMany, layoutMany } from "./layout_many.js";

const GAP = 14;

/** Zooming enlarges at least so much, however large the cells are without. */
const LEAST_ZOOM = 2;

/** A matrix that scrolls shows so many rows at least. */
const LEAST_ROWS = 6;

const LARGE = { wide: 2.4, least: 20, cell: 170, zoomed: 80, row: 34, label: 200 };

const FILLING = {
  wide: 3.2,
  cell: 180,
  zoomed: 120,
  row: 26,
  label: 112,
  fonts: { min: 10, max: 14 },
};

// A map of words, or of layers; a presenter shows it 1.85 times as large.
const MAP = { ...FILLING, least: 13, fonts: { min: 13, max: 14 } };

/** Sizes in CSS pixels, for a desk, its large one, and for a projector. `least`: smaller cells can
 * hardly be told apart; where there is no room for these, the matrix scrolls; columns a little narrower
 * do not, where all of them are seen so (`narrow`). `zoomed`: as large as zooming makes cells. `wide`: so many times their height where that is scarce. */
const TYPES = {
  // One of several side by side.
  normal: { ...FILLING, least: 13, cell: 56, zoomed: 96, row: 22, fonts: { min: 10, max: 13 } },
  // The first picture of the page fills its place.
  chief: { ...FILLING, least: 16, narrow: 13 },
  map: MAP,
  // Rows of readings, whose names are read whole on a phone, too.
  readings: MAP,
  large: { ...LARGE, fonts: { min: 20, max: 26 } },
  // Read from eight metres.
  projected: { ...LARGE, wide: 3.6, cell: 190, fonts: { min: 24, max: 24 } },
};

/**
 * In CSS pixels.
 *
 * @typedef {object} Layout
 * @property {number} width  of everything, labels included
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {number} rowLabel  width of one column of row labels
 * @property {number} columnLabel  height of the column labels
 * @property {boolean} upright  whether the column labels fit horizontally
 * @property {number[] | null} raised  the columns whose labels stand above the others; null: where they are
 *   wider than their cells, they are turned
 * @property {number} everyRow  one row label in so many is shown
 * @property {number} everyColumn
 * @property {number} font
 * @property {number} headingFont  so that the headings fit above the row labels
 * @property {number} height  of the labels and the cells that are seen, had nobody zoomed
 * @property {boolean} scrolls  not all cells are seen at once
 * @property {number} maxZoom
 * @property {boolean} [many]  tokens: what is drawn of them is what is in sight
 */

/**
 * @typedef {object} Room
 * @property {number} width  of everything, labels included
 * @property {number} height  likewise; may be infinite
 * @property {number} zoom  how much larger the cells are to be than they fit
 * @property {keyof typeof TYPES} type
 */

/**
 * Which labels stand on a line of their own above the others, so that none has to be turned: those wider
 * than their cells, unless their neighbours leave them room, or the headings of the rows stand there; null if two
 * lines are not enough.
 *
 * @param {number[]} widths  of all columns' labels
 * @param {number} cellWidth
 * @returns {number[] | null}
 */
function risen(widths, cellWidth) {
  const isWide = (/** @type {number} */ column) => widths[column] + GAP / 2 > cellWidth;
  /** @type {(one: number | undefined, other: number) => boolean} */
  const apart = (one, other) =>
    one === undefined || (widths[one] + widths[other] + GAP) / 2 <= (other - one) * cellWidth;
  const above = /** @type {number[]} */ ([]);
  const below = /** @type {number[]} */ ([]);
  for (let column = 0; column < widths.length; column++) {
    const next = column + 1;
    if (isWide(column) && widths[column] / 2 > (widths.length - column - 0.5) * cellWidth)
      return null;
    if (!isWide(column)) below.push(column);
    else if (
      widths[column] / 2 <= (column + 0.5) * cellWidth &&
      apart(below.at(-1), column) &&
      (isWide(next) || next === widths.length || apart(column, next))
    )
      below.push(column);
    else if (apart(above.at(-1), column)) above.push(column);
    else return null;
  }
  return above;
}

/**
 * Whether a column's label has to be raised or turned: it is wider than its cell.
 *
 * @param {string} label
 * @param {Pick<Layout, "cellWidth" | "font">} layout
 * @param {(text: string, font: number) => number} measure
 */
export function mustTurn(label, { cellWidth, font }, measure) {
  return measure(label, font) + GAP / 2 > cellWidth;
}

/**
 * Lays a matrix out with its labels.
 *
 * @param {Room} room
 * @param {string[][]} rowLabels  one list for each column of row labels, with its heading
 * @param {string[]} columnLabels
 * @param {(text: string, font: number) => number} measure  a text's width
 * @returns {Layout}
 */
export function layoutMatrix({ width, height, zoom, type }, rowLabels, columnLabels, measure) {
  const {
    wide,
    least,
    cell,
    zoomed,
    row,
    label,
    fonts,
    narrow = least,
  } = { narrow: undefined, ...TYPES[type] };
  const [rows, columns] = [rowLabels[0].length - 1, columnLabels.length];
  const widestRow = Math.max(...rowLabels.flat().map((text) => measure(text, fonts.max)));
  const widestColumn = Math.max(...columnLabels.map((text) => measure(text, fonts.max)));
  const heading = Math.max(...rowLabels.map(([text]) => measure(text, 1)));
  if (TYPES[type] !== MAP && areMany(rows, columns)) {
    const count = { rows, columns, sides: rowLabels.length };
    const widest = { row: widestRow / fonts.max, column: widestColumn / fonts.max, heading };
    const font = Math.max(fonts.min, Math.min(11, fonts.max));
    return layoutMany({ width, height, zoom }, count, widest, { row, cell, zoomed, font });
  }
  const share = type === "readings" ? 0.6 : rowLabels.length > 1 ? 0.22 : 0.34;
  let largest = fonts.max;
  const labels = (/** @type {number} */ cellWidth) => {
    const font = Math.min(largest, Math.max(fonts.min, cellWidth - 2));
    const longest = (widestColumn * font) / fonts.max;
    const upright = longest + GAP / 2 <= cellWidth;
    const rowLabel = Math.ceil(Math.min((widestRow * font) / fonts.max + GAP, width * share));
    const widths = columnLabels.map((text) => measure(text, font));
    const raised = upright ? [] : risen(widths, cellWidth);
    const turned = Math.ceil(Math.min(longest + GAP, label, 0.45 * height)); // the rows need the rest
    const columnLabel = upright ? 1.5 * font : raised ? 2.7 * font : turned;
    return { font, upright, raised, rowLabel, columnLabel };
  };
  let fit = cell;
  // Small cells ask for a small font, which leaves more room for the cells: twice is enough.
  for (let pass = 0; pass < 2; pass++) {
    const { rowLabel, columnLabel } = labels(fit);
    const across = (width - rowLabels.length * rowLabel) / columns;
    const down = wide * Math.max(least, (height - columnLabel) / rows);
    fit = Math.min(cell, across > fonts.max ? Math.floor(across) : across, down);
  }
  // Labels that lie leave more of the height than turned ones: a little smaller, over wider cells, if need be.
  const beside = Math.floor((width - rowLabels.length * labels(fit).rowLabel) / columns);
  const lying = ((Math.min(cell, beside) - GAP / 2) * fonts.max) / widestColumn;
  if (lying > fonts.min) {
    largest = Math.min(largest, lying);
    fit = Math.max(fit, Math.ceil((widestColumn * largest) / fonts.max + GAP / 2));
  }
  // At the edge between two fonts the larger one's labels can be too wide for these cells.
  fit = Math.min(fit, (width - rowLabels.length * labels(fit).rowLabel) / columns);
  if (fit < narrow) fit = least;
  const maxZoom = Math.max(LEAST_ZOOM, zoomed / fit);
  const cellWidth = fit * Math.min(maxZoom, Math.max(1, zoom));
  const { font, upright, raised, rowLabel, columnLabel } = labels(cellWidth);
  // A few rows of many columns are drawn taller than wide, as far as the matrix stays a square.
  const tall = (/** @type {number} */ size) =>
    Math.max(size, Math.min(row, Math.floor((size * columns) / rows)));
  // As if nobody had zoomed: labels that stood turned lie over wider cells, and the plot would outgrow the window.
  const room = height - labels(fit).columnLabel;
  // Rows are low rather than out of sight, as far as each has its label.
  const lowest = Math.min(least, fonts.min + 3);
  const fitHeight = Math.max(
    room / rows < lowest ? least : lowest,
    Math.min(tall(fit), room / rows),
  );
  const cellHeight = cellWidth > fit ? tall(cellWidth) : fitHeight;
  // Low rows have small labels rather than every other one.
  const lower = Math.min(font, Math.max(fonts.min, cellHeight - 2));
  return {
    width,
    cellWidth,
    cellHeight,
    rowLabel,
    columnLabel,
    upright,
    raised,
    everyRow: Math.ceil((lower + 2) / cellHeight),
    everyColumn: Math.ceil((lower + 2) / cellWidth),
    font: lower,
    headingFont: Math.min(lower, (rowLabel - GAP / 2) / heading),
    height:
      labels(fit).columnLabel + Math.min(fitHeight * rows, Math.max(room, LEAST_ROWS * least)),
    scrolls:
      cellHeight * rows > room + 1 || cellWidth * columns > width - rowLabels.length * rowLabel + 1,
    maxZoom,
  };
}
