/** Which part of a matrix of many tokens is in sight, and so is drawn. */

/** @import { Part } from "../../draw/pooled.js" */

/** Around what is seen so much more is drawn, as a share of it: moving on a little draws nothing anew. */
const AROUND = 0.5;

/**
 * The range of rows and of columns whose cells are in sight, and some around them.
 *
 * @param {{cellWidth: number, cellHeight: number}} layout
 * @param {{rows: number, columns: number}} count
 * @param {{left: number, top: number, width: number, height: number}} seen  CSS pixels of the cells
 * @param {number} [around]
 * @returns {Part}
 */
export function partInSight({ cellWidth, cellHeight }, { rows, columns }, seen, around = AROUND) {
  const [row, end] = range(seen.top, seen.height, cellHeight, rows, around);
  const [column, last] = range(seen.left, seen.width, cellWidth, columns, around);
  return { row, rows: end - row, column, columns: last - column };
}

/** @type {(start: number, length: number, cell: number, count: number, around: number) => [number, number]} */
function range(start, length, cell, count, around) {
  const more = around * length;
  const from = Math.floor((start - more) / cell);
  const end = Math.ceil((start + length + more) / cell);
  return [Math.max(0, Math.min(count - 1, from)), Math.max(1, Math.min(count, end))];
}

/** Whether all of a part is among what is drawn. @type {(drawn: Part, part: Part) => boolean} */
export function holds(drawn, part) {
  return (
    drawn.row <= part.row &&
    drawn.column <= part.column &&
    drawn.row + drawn.rows >= part.row + part.rows &&
    drawn.column + drawn.columns >= part.column + part.columns
  );
}

/**
 * Which cells share a point with one, where cells are smaller than the screen's pixels: as they are
 * pooled, see `draw/pooled.js`.
 *
 * @param {{row: number, column: number}} cell
 * @param {Part} part  that is drawn
 * @param {{cellWidth: number, cellHeight: number}} layout
 * @param {number} ratio  pixels for each of CSS
 * @returns {Part}
 */
export function sharingPoint({ row, column }, part, { cellWidth, cellHeight }, ratio) {
  const [top, rows] = together(row - part.row, part.rows, cellHeight * ratio);
  const [left, columns] = together(column - part.column, part.columns, cellWidth * ratio);
  return { row: part.row + top, rows, column: part.column + left, columns };
}

/** @type {(at: number, count: number, pixels: number) => [from: number, length: number]} */
function together(at, count, pixels) {
  const points = Math.max(1, Math.min(count, Math.floor(count * pixels)));
  const point = Math.floor((at * points) / count);
  const from = Math.ceil((point * count) / points);
  return [from, Math.max(1, Math.ceil(((point + 1) * count) / points) - from)];
}
