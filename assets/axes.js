/** Labels along a matrix: how large its cells can be, and which labels there is room for. */

import { h, tokenNode } from "./dom.js";

const MAX_CELL = 56;
const LEGIBLE_ROW = 22;
const MAX_COLUMN_LABEL = 92;
const GAP = 14;
const FONT = { min: 10, max: 13 };

/**
 * In CSS pixels.
 *
 * @typedef {object} Layout
 * @property {number} cellWidth
 * @property {number} cellHeight
 * @property {number} rowLabel  width of one column of row labels
 * @property {number} columnLabel  height of the column labels
 * @property {boolean} upright  whether the column labels fit horizontally
 * @property {number} everyRow  one row label in so many is shown
 * @property {number} everyColumn
 * @property {number} font
 */

/**
 * @param {number} width  of everything, labels included
 * @param {string[][]} rowLabels  one list for each column of row labels, with its heading
 * @param {string[]} columnLabels
 * @param {(text: string) => number} measure  a text's width at the largest font size
 * @returns {Layout}
 */
export function layoutMatrix(width, rowLabels, columnLabels, measure) {
  const widest = Math.max(...rowLabels.flat().map(measure));
  const share = rowLabels.length > 1 ? 0.22 : 0.34;
  let [font, cellWidth, rowLabel] = [FONT.max, 0, 0];
  // Small cells ask for a small font, which leaves more room for the cells: twice is enough.
  for (let pass = 0; pass < 2; pass++) {
    rowLabel = Math.ceil(Math.min((widest * font) / FONT.max + GAP, width * share));
    const room = (width - rowLabels.length * rowLabel) / columnLabels.length;
    cellWidth = room > FONT.max ? Math.min(MAX_CELL, Math.floor(room)) : room;
    font = Math.min(FONT.max, Math.max(FONT.min, cellWidth - 2));
  }
  // A few rows of many columns are drawn taller than wide, as far as the matrix stays a square.
  const rows = rowLabels[0].length - 1;
  const square = (cellWidth * columnLabels.length) / rows;
  const cellHeight = Math.max(cellWidth, Math.min(LEGIBLE_ROW, Math.floor(square)));
  const longest = (Math.max(...columnLabels.map(measure)) * font) / FONT.max;
  const upright = longest + GAP / 2 <= cellWidth;
  return {
    cellWidth,
    cellHeight,
    rowLabel,
    columnLabel: upright ? 1.5 * font : Math.ceil(Math.min(longest + GAP, MAX_COLUMN_LABEL)),
    upright,
    everyRow: Math.ceil((font + 2) / cellHeight),
    everyColumn: Math.ceil((font + 2) / cellWidth),
    font,
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
 * @returns {HTMLElement[]}  each placed by its --i
 */
export function axisLabels(tokens, { everyRow, everyColumn, upright }, side) {
  const every = side === "row" ? everyRow : everyColumn;
  const turn = side === "row" || upright ? "" : isCjk(tokens.join("")) ? "stacked" : "turned";
  return tokens.map((token, i) => {
    const thinned = i % every ? "thinned" : "";
    const style = `--i: ${i}`;
    return h("span", { class: `label ${turn} ${thinned}`, style, title: token }, tokenNode(token));
  });
}

const context = document.createElement("canvas").getContext("2d");

/**
 * How wide a token is drawn in an element's font, at the largest size of a label.
 *
 * @param {Element} element
 * @returns {(text: string) => number}
 */
export function measureIn(element) {
  if (!context) return (text) => text.length * FONT.max;
  context.font = `${FONT.max}px ${getComputedStyle(element).fontFamily}`;
  return (text) => context.measureText(text).width;
}
