/** Labels along a matrix: how large its cells can be, and which labels there is room for. */

import { tokenNode } from "./dom.js";

const GAP = 14;

/** Of a label, along its text, as the style sheet has it. */
const PADDING = { row: 12, column: 4 };

/** Sizes in CSS pixels, for a desk and for a projector. `zoomed`: as large as zooming makes cells. */
const TYPES = {
  normal: { cell: 56, zoomed: 44, row: 22, label: 92, font: { min: 10, max: 13 } },
  large: { cell: 170, zoomed: 80, row: 34, label: 200, font: { min: 14, max: 24 } },
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
 * @property {number} everyRow  one row label in so many is shown
 * @property {number} everyColumn
 * @property {number} font
 * @property {number} headingFont  so that the headings fit above the row labels
 * @property {number} height  of the labels and the cells, had nobody zoomed
 * @property {number} maxZoom
 */

/**
 * @typedef {object} Room
 * @property {number} width  of everything, labels included
 * @property {number} height  likewise; may be infinite
 * @property {number} zoom  how much larger the cells are to be than they fit
 * @property {keyof typeof TYPES} type
 */

/**
 * @param {Room} room
 * @param {string[][]} rowLabels  one list for each column of row labels, with its heading
 * @param {string[]} columnLabels
 * @param {(text: string, font: number) => number} measure  a text's width
 * @returns {Layout}
 */
export function layoutMatrix({ width, height, zoom, type }, rowLabels, columnLabels, measure) {
  const { cell, zoomed, row, label, font: fonts } = TYPES[type];
  const [rows, columns] = [rowLabels[0].length - 1, columnLabels.length];
  const widestRow = Math.max(...rowLabels.flat().map((text) => measure(text, fonts.max)));
  const widestColumn = Math.max(...columnLabels.map((text) => measure(text, fonts.max)));
  const heading = Math.max(...rowLabels.map(([text]) => measure(text, 1)));
  const share = rowLabels.length > 1 ? 0.22 : 0.34;
  const labels = (/** @type {number} */ cellWidth) => {
    const font = Math.min(fonts.max, Math.max(fonts.min, cellWidth - 2));
    const longest = (widestColumn * font) / fonts.max;
    const upright = longest + GAP / 2 <= cellWidth;
    const rowLabel = Math.ceil(Math.min((widestRow * font) / fonts.max + GAP, width * share));
    const columnLabel = upright ? 1.5 * font : Math.ceil(Math.min(longest + GAP, label));
    return { font, upright, rowLabel, columnLabel };
  };
  let fit = cell;
  // Small cells ask for a small font, which leaves more room for the cells: twice is enough.
  for (let pass = 0; pass < 2; pass++) {
    const { rowLabel, columnLabel } = labels(fit);
    const across = (width - rowLabels.length * rowLabel) / columns;
    const down = (1.6 * (height - columnLabel)) / rows;
    fit = Math.min(cell, across > fonts.max ? Math.floor(across) : across, Math.max(1, down));
  }
  const cellWidth = Math.max(fit, Math.min(zoomed, fit * zoom));
  const { font, upright, rowLabel, columnLabel } = labels(cellWidth);
  // A few rows of many columns are drawn taller than wide, as far as the matrix stays a square.
  const tall = (/** @type {number} */ size) =>
    Math.max(size, Math.min(row, Math.floor((size * columns) / rows)));
  const fitHeight = Math.min(tall(fit), (height - columnLabel) / rows);
  const cellHeight = cellWidth > fit ? tall(cellWidth) : fitHeight;
  return {
    width,
    cellWidth,
    cellHeight,
    rowLabel,
    columnLabel,
    upright,
    everyRow: Math.ceil((font + 2) / cellHeight),
    everyColumn: Math.ceil((font + 2) / cellWidth),
    font,
    headingFont: Math.min(font, (rowLabel - GAP / 2) / heading),
    height: columnLabel + fitHeight * rows,
    maxZoom: Math.max(1, zoomed / fit),
  };
}

/**
 * Chinese, Japanese and Korean stand upright in a vertical line; other scripts are turned.
 *
 * @param {string} text
 */
function isCjk(text) {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
}

/**
 * @param {string[]} tokens
 * @param {Layout} layout
 * @param {"row" | "column"} side
 * @param {(text: string, font: number) => number} measure
 * @returns {HTMLElement[]}
 */
export function axisLabels(tokens, layout, side, measure) {
  const { everyRow, everyColumn, rowLabel, columnLabel, font } = layout;
  const upright = side === "column" && layout.upright;
  const [every, room] =
    side === "row"
      ? [everyRow, rowLabel - PADDING.row]
      : [everyColumn, columnLabel - PADDING.column];
  const turn = side === "row" || upright ? "" : isCjk(tokens.join("")) ? "stacked" : "turned";
  return tokens.map((token, i) => {
    const thinned = i % every ? "thinned" : "";
    const long = !upright && measure(token, font) > room ? "long" : "";
    const label = tokenNode(token);
    label.className += ` label ${turn} ${thinned} ${long}`;
    label.title = token;
    return label;
  });
}

/**
 * Makes labels stand out, and those beside them, which they would overlap, give way.
 *
 * @param {Element} axis
 * @param {string} chosen  the class of labels that stand out
 * @param {string} beside  the class of those that give way
 * @returns {(indices: number[], every: number) => void}  these labels and no others; one in `every`
 *   has room
 */
export function labelMarker(axis, chosen, beside) {
  /** @type {Element[]} */
  let marked = [];
  return (indices, every) => {
    for (const label of marked) label.classList.remove(chosen, beside);
    marked = [];
    for (const index of indices) {
      for (let i = Math.max(0, index - every + 1); i < index + every; i++) {
        const label = axis.children[i];
        if (!label) break;
        label.classList.add(indices.includes(i) ? chosen : beside);
        marked.push(label);
      }
    }
  };
}

const context = document.createElement("canvas").getContext("2d");

/**
 * How wide a token is drawn in an element's font.
 *
 * @param {Element} element
 * @returns {(text: string, font: number) => number}
 */
export function measureIn(element) {
  if (!context) return (text, font) => text.length * font;
  context.font = `100px ${getComputedStyle(element).fontFamily}`;
  return (text, font) => (context.measureText(text).width * font) / 100;
}
