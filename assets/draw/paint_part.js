/** Some rows and columns of a matrix of many tokens, onto a canvas. */

import { hasMask } from "../trace/kinds.js";
import { fewer, imageOf, paintHatching, pixelRatio, resize } from "./paint.js";
import { pooled } from "./pooled.js";
import { shades } from "./shades.js";

/** @import { Grid, Head, Inks } from "./paint.js" */

/** Cells as large as this are parted by lines, in pixels. */
const PARTED = 8;

/**
 * Where several weights share a pixel, it is the largest of them; masked cells are hatched.
 *
 * @param {OffscreenCanvas} canvas
 * @param {Head & {cellWidth: number, cellHeight: number}} head  cells in CSS pixels
 * @param {import("./pooled.js").Part} part
 * @param {Inks} inks
 * @returns {Grid}
 */
export function paintPart(canvas, head, part, inks) {
  const { cellWidth, cellHeight } = head;
  const [wide, high] = [part.columns * cellWidth, part.rows * cellHeight];
  const ratio = pixelRatio(Math.max(wide, high));
  const [columns, rows] = [fewer(part.columns, wide * ratio), fewer(part.rows, high * ratio)];
  const size = { width: columns, height: rows };
  const shown = pooled(shades(head.values, head), head, size, part);
  /** Edges of the cells that are drawn, of which one may stand for several. */
  const grid = {
    ratio,
    x: (/** @type {number} */ column) => Math.round((column * wide * ratio) / columns),
    y: (/** @type {number} */ row) => Math.round((row * high * ratio) / rows),
  };
  resize(canvas, grid.x(columns), grid.y(rows));
  const context = canvas.getContext("2d");
  if (context) {
    context.putImageData(enlarged(imageOf(shown, size, head), grid, canvas), 0, 0);
    paintLines(context, grid, { rows, columns }, Math.min(cellWidth, cellHeight) * ratio);
    const isMasked = (/** @type {number} */ row, /** @type {number} */ column) =>
      Number.isNaN(shown[row * columns + column]);
    if (hasMask(head.kind, head.keys, head.causal)) {
      paintHatching(context, grid, { rows, columns }, isMasked, inks);
    }
  }
  return {
    ratio,
    x: (key) => Math.round((key - part.column) * cellWidth * ratio),
    y: (query) => Math.round((query - part.row) * cellHeight * ratio),
  };
}

/**
 * Cells as the pixels that they cover: hundreds of small ones are sooner copied than drawn.
 *
 * @param {ImageData} image  a pixel a cell
 * @param {Grid} grid
 * @param {{width: number, height: number}} size  in pixels
 */
function enlarged(image, { x, y }, { width, height }) {
  const cells = new Uint32Array(image.data.buffer);
  const large = new ImageData(width, height);
  const pixels = new Uint32Array(large.data.buffer);
  const columns = new Uint16Array(width);
  for (let i = 0; i < image.width; i++) columns.fill(i, x(i), x(i + 1));
  for (let row = 0; row < image.height; row++) {
    const [top, bottom] = [y(row), y(row + 1)];
    const start = top * width;
    const first = row * image.width;
    for (let i = 0; i < width; i++) pixels[start + i] = cells[first + columns[i]];
    for (let line = top + 1; line < bottom; line++) {
      pixels.copyWithin(line * width, start, start + width);
    }
  }
  return large;
}

/** @type {(context: OffscreenCanvasRenderingContext2D, grid: Grid, size: {rows: number, columns: number}, side: number) => void} */
function paintLines(context, { x, y }, { rows, columns }, side) {
  if (side < PARTED) return;
  const { width, height } = context.canvas;
  for (let i = 1; i <= columns; i++) context.clearRect(x(i) - 1, 0, 1, height);
  for (let i = 1; i <= rows; i++) context.clearRect(0, y(i) - 1, width, 1);
}
