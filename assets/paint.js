/** Weights onto canvases. A colour has one meaning everywhere, which the legend tells. */

import { palette } from "./color.js";
import { shades } from "./rank.js";
import { headWeights, isMasked } from "./trace.js";

/**
 * @typedef {object} Head
 * @property {Float32Array} values  [query, key]
 * @property {number} queries
 * @property {number} keys
 * @property {import("./trace.js").Kind} kind
 * @property {import("./preferences.js").Theme} theme
 * @property {import("./color.js").Look} look
 */

/**
 * Where a thumbnail lies in its canvas, in CSS pixels.
 *
 * @typedef {import("./head.js").Choice & {left: number, top: number, width: number, height: number}} Tile
 */

const HATCH_PITCH = 5;

/** Pixels along one side of a canvas: larger ones may not be given any memory. */
const MAX_SIDE = 4096;

/**
 * The cells' edges in the pixels of a canvas.
 *
 * @typedef {{ratio: number, x: (key: number) => number, y: (query: number) => number}} Grid
 */

/**
 * The theme's colours, as CSS writes them.
 *
 * @typedef {Record<"paper" | "ink" | "edge" | "hatch" | "now", string>} Inks
 */

/** @type {Map<import("./preferences.js").Theme, Inks>} */
const inks = new Map();

/**
 * Read once for each theme: reading makes the browser style the page.
 *
 * @param {import("./preferences.js").Theme} theme  which the element already has
 * @param {Element} element
 * @returns {Inks}
 */
export function inksOf(theme, element) {
  const known = inks.get(theme);
  if (known) return known;
  const style = getComputedStyle(element);
  const ink = (/** @type {keyof Inks} */ name) => style.getPropertyValue(`--${name}`);
  const read = {
    paper: ink("paper"),
    ink: ink("ink"),
    edge: ink("edge"),
    hatch: ink("hatch"),
    now: ink("now"),
  };
  inks.set(theme, read);
  return read;
}

/**
 * A matrix at the screen's own resolution; masked cells are hatched.
 *
 * @param {OffscreenCanvas} canvas
 * @param {Head & {cellWidth: number, cellHeight: number}} head  cells in CSS pixels
 * @param {Inks} inks
 * @returns {Grid}
 */
export function paintMatrix(canvas, head, { hatch }) {
  const { queries, keys, kind, cellWidth, cellHeight } = head;
  const side = Math.max(keys * cellWidth, queries * cellHeight);
  const ratio = Math.min(window.devicePixelRatio, MAX_SIDE / side);
  const x = (/** @type {number} */ key) => Math.round(key * cellWidth * ratio);
  const y = (/** @type {number} */ query) => Math.round(query * cellHeight * ratio);
  canvas.width = x(keys);
  canvas.height = y(queries);
  const context = canvas.getContext("2d");
  if (context) {
    // One pixel a cell, enlarged: many times faster than as many rectangles.
    context.imageSmoothingEnabled = false;
    context.drawImage(headImage(head), 0, 0, canvas.width, canvas.height);
    if (cellWidth * ratio >= 8) {
      for (let key = 1; key <= keys; key++) context.clearRect(x(key) - 1, 0, 1, canvas.height);
      for (let query = 1; query <= queries; query++) {
        context.clearRect(0, y(query) - 1, canvas.width, 1);
      }
    }
    if (isMasked(kind, 0, keys - 1)) {
      const masked = new Path2D();
      for (let query = 0; query < queries; query++) {
        let key = keys;
        while (isMasked(kind, query, key - 1)) key--;
        if (key < keys) masked.rect(x(key), y(query), canvas.width, y(query + 1) - y(query));
      }
      hatchIn(context, masked, HATCH_PITCH * ratio, hatch);
    }
  }
  return { ratio, x, y };
}

/**
 * @param {OffscreenCanvasRenderingContext2D} context
 * @param {Path2D} region
 * @param {number} pitch
 * @param {string} color
 */
function hatchIn(context, region, pitch, color) {
  const { width, height } = context.canvas;
  context.clip(region);
  context.beginPath();
  for (let x = -height; x < width; x += pitch) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.strokeStyle = color;
  context.lineWidth = window.devicePixelRatio;
  context.stroke();
}

/**
 * Heads of one kind as thumbnails on one canvas that fills its element; masked cells stay
 * transparent. One canvas, because each one is a layer that the browser must put together in every
 * frame: with one a head that alone took longer than a frame.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {import("./trace.js").Weights} weights
 * @param {Omit<Head, "values" | "queries" | "keys">} how
 * @param {Tile[]} tiles
 */
export function paintHeads(canvas, weights, how, tiles) {
  const { queries, keys } = weights;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingEnabled = false;
  for (const { layer, head, left, top, width, height } of tiles) {
    const values = headWeights(weights, layer, head);
    const image = headImage({ ...how, values, queries, keys });
    const place = [left, top, width, height].map((length) => Math.round(length * ratio));
    const [x, y, w, h] = place;
    context.drawImage(image, x, y, w, h);
  }
}

/** Drawn from at once, and then drawn over: a canvas for each head would take much longer. */
const pixels = new OffscreenCanvas(1, 1);

/**
 * One pixel a cell; masked ones are transparent.
 *
 * @param {Head} head
 */
function headImage(head) {
  const { values, queries, keys, kind, theme, look } = head;
  const image = new ImageData(keys, queries);
  const shown = shades(values, head);
  const color = palette(theme, look);
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys && !isMasked(kind, query, key); key++) {
      const i = query * keys + key;
      const [red, green, blue] = color(shown[i]);
      image.data[4 * i] = red;
      image.data[4 * i + 1] = green;
      image.data[4 * i + 2] = blue;
      image.data[4 * i + 3] = 255;
    }
  }
  if (pixels.width !== keys) pixels.width = keys;
  if (pixels.height !== queries) pixels.height = queries;
  pixels.getContext("2d")?.putImageData(image, 0, 0);
  return pixels;
}
