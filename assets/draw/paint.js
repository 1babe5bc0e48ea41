/** Weights onto canvases. A colour has one meaning everywhere, which the legend tells. */

import { hasMask, isMasked } from "../trace/kinds.js";
import { palette } from "./color.js";
import { pooled } from "./pooled.js";
import { shades } from "./shades.js";

/** @import { Theme } from "./color.js" */

/**
 * @typedef {object} Head
 * @property {Float32Array} values  [query, key]
 * @property {number} queries
 * @property {number} keys
 * @property {import("../trace/kinds.js").Kind} kind
 * @property {import("../trace/kinds.js").Causal} [causal]
 * @property {Theme} theme
 * @property {import("./coloring.js").Coloring} coloring
 */

const HATCH_PITCH = 5;

/** Pixels along one side of a canvas: larger ones may not be given any memory. */
const MAX_SIDE = 4096;

/**
 * A canvas's pixels for each of CSS.
 *
 * @param {number} side  the canvas's longer one, in CSS pixels
 */
export function pixelRatio(side) {
  return Math.min(window.devicePixelRatio, MAX_SIDE / side);
}

/**
 * The cells' edges in the pixels of a canvas.
 *
 * @typedef {{ratio: number, x: (key: number) => number, y: (query: number) => number}} Grid
 */

const INKS = /** @type {const} */ (["paper", "ink", "edge", "hatch", "now"]);

/** @typedef {Record<typeof INKS[number], string>} Inks  the theme's colours, as CSS writes them */

/** @type {Map<Theme, Inks>} */
const inks = new Map();

/**
 * Read once for each theme: reading makes the browser style the page.
 *
 * @param {Theme} theme  which the element already has
 * @param {Element} element
 * @returns {Inks}
 */
export function inksOf(theme, element) {
  const earlier = inks.get(theme);
  if (earlier) return earlier;
  const style = getComputedStyle(element);
  const read = INKS.map((name) => [name, style.getPropertyValue(`--${name}`)]);
  const own = /** @type {Inks} */ (Object.fromEntries(read));
  inks.set(theme, own);
  return own;
}

/**
 * To set a size, even the same, makes a canvas anew, which takes longer than what is then drawn on it.
 *
 * @param {{width: number, height: number}} canvas
 * @param {number} width
 * @param {number} height
 */
export function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * A matrix at the screen's own resolution; masked cells are hatched.
 *
 * @param {OffscreenCanvas} canvas
 * @param {Head & {cellWidth: number, cellHeight: number}} head  cells in CSS pixels
 * @param {Inks} inks
 * @returns {Grid}
 */
export function paintMatrix(canvas, head, inks) {
  const { queries, keys, kind, causal } = head;
  return paintGrid(
    canvas,
    headImage(head, { width: keys, height: queries }),
    { ...head, rows: queries, columns: keys },
    hasMask(kind, keys, causal) ? (query, key) => isMasked(kind, query, key, causal) : null,
    inks,
  );
}

/**
 * Cells at the screen's own resolution.
 *
 * @param {OffscreenCanvas} canvas
 * @param {CanvasImageSource} image  one pixel a cell
 * @param {{rows: number, columns: number, cellWidth: number, cellHeight: number}} size  cells in
 *   CSS pixels
 * @param {((row: number, column: number) => boolean) | null} hatched  null: none is
 * @param {Inks} inks
 * @returns {Grid}
 */
export function paintGrid(canvas, image, { rows, columns, cellWidth, cellHeight }, hatched, inks) {
  const ratio = pixelRatio(Math.max(columns * cellWidth, rows * cellHeight));
  const x = (/** @type {number} */ column) => Math.round(column * cellWidth * ratio);
  const y = (/** @type {number} */ row) => Math.round(row * cellHeight * ratio);
  resize(canvas, x(columns), y(rows));
  const context = canvas.getContext("2d");
  if (context) {
    context.clearRect(0, 0, canvas.width, canvas.height);
    enlarge(context, image, { rows, columns, x, y });
    if (cellWidth * ratio >= 8) {
      for (let i = 1; i <= columns; i++) context.clearRect(x(i) - 1, 0, 1, canvas.height);
      for (let i = 1; i <= rows; i++) context.clearRect(0, y(i) - 1, canvas.width, 1);
    }
    if (hatched) paintHatching(context, { ratio, x, y }, { rows, columns }, hatched, inks);
  }
  return { ratio, x, y };
}

/**
 * Hatches the cells that are masked.
 *
 * @param {OffscreenCanvasRenderingContext2D} context
 * @param {Grid} grid
 * @param {{rows: number, columns: number}} size
 * @param {(row: number, column: number) => boolean} hatched
 * @param {Inks} inks
 */
export function paintHatching(context, { ratio, x, y }, { rows, columns }, hatched, inks) {
  const region = new Path2D();
  for (let row = 0; row < rows; row++) {
    let from = 0;
    for (let column = 0; column <= columns; column++) {
      if (column < columns && hatched(row, column)) continue;
      // One rectangle a run of cells.
      if (column > from) region.rect(x(from), y(row), x(column) - x(from), y(row + 1) - y(row));
      from = column + 1;
    }
  }
  hatchIn(context, region, HATCH_PITCH * ratio, inks.hatch);
}

/** Between enlarging along one side and along the other. @type {OffscreenCanvas | undefined} */
let halfway;

/**
 * One pixel a cell, enlarged: many times faster than as many rectangles. Column by column, then row by
 * row, so that each cell ends where the line after it is drawn: all at once, some would end a pixel off.
 *
 * @param {OffscreenCanvasRenderingContext2D} context
 * @param {CanvasImageSource} image
 * @param {{rows: number, columns: number} & Pick<Grid, "x" | "y">} grid
 */
function enlarge(context, image, { rows, columns, x, y }) {
  const width = x(columns);
  if (!width || !rows) return;
  halfway ??= new OffscreenCanvas(1, 1);
  resize(halfway, width, rows);
  const wide = halfway.getContext("2d");
  if (!wide) return;
  wide.clearRect(0, 0, width, rows);
  wide.imageSmoothingEnabled = context.imageSmoothingEnabled = false;
  for (let i = 0; i < columns; i++) {
    wide.drawImage(image, i, 0, 1, rows, x(i), 0, x(i + 1) - x(i), rows);
  }
  for (let i = 0; i < rows; i++) {
    context.drawImage(halfway, 0, i, width, 1, 0, y(i), width, y(i + 1) - y(i));
  }
}

/**
 * @param {OffscreenCanvasRenderingContext2D} context
 * @param {Path2D} region
 * @param {number} pitch
 * @param {string} color
 */
function hatchIn(context, region, pitch, color) {
  const { width, height } = context.canvas;
  context.save();
  context.clip(region);
  context.beginPath();
  for (let x = -height; x < width; x += pitch) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.strokeStyle = color;
  context.lineWidth = window.devicePixelRatio;
  context.stroke();
  context.restore();
}

/** Drawn from at once, and then drawn over: a canvas for each head would take much longer. @type {OffscreenCanvas | undefined} */
let pixels;

/** How many cells are drawn along an axis: a pixel each, at least. @type {(cells: number, pixels: number) => number} */
export function fewer(cells, pixels) {
  return Math.max(1, Math.min(cells, Math.floor(pixels)));
}

/**
 * A pixel a cell, or for several; masked ones are transparent.
 *
 * @param {Head} head
 * @param {{width: number, height: number}} size  in pixels
 */
export function headImage(head, size) {
  const image = imageOf(pooled(shades(head.values, head), head, size), size, head);
  pixels ??= new OffscreenCanvas(1, 1);
  resize(pixels, size.width, size.height);
  pixels.getContext("2d")?.putImageData(image, 0, 0);
  return pixels;
}

/**
 * The pixels of a head's cells, in the colours of a scale.
 *
 * @param {Float32Array} shown  from 0 to 1, NaN where it is masked
 * @param {{width: number, height: number}} size  in pixels
 * @param {Pick<Head, "theme" | "coloring">} how
 */
export function imageOf(shown, { width, height }, { theme, coloring }) {
  const image = new ImageData(width, height);
  const color = palette(theme, coloring);
  for (const [i, shade] of shown.entries()) {
    if (Number.isNaN(shade)) continue;
    const rgb = color(shade);
    image.data[4 * i] = rgb[0];
    image.data[4 * i + 1] = rgb[1];
    image.data[4 * i + 2] = rgb[2];
    image.data[4 * i + 3] = 255;
  }
  return image;
}
