/** Weights onto canvases. A colour has one meaning everywhere, which the legend tells. */

import { weightColor, weightRgb } from "./color.js";
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
 * A matrix at the screen's own resolution; masked cells are hatched.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Head & {cellWidth: number, cellHeight: number}} head  cells in CSS pixels
 */
export function paintMatrix(canvas, head) {
  const { queries, keys, kind, theme, look, cellWidth, cellHeight } = head;
  const side = Math.max(keys * cellWidth, queries * cellHeight);
  const ratio = Math.min(window.devicePixelRatio, MAX_SIDE / side);
  const x = (/** @type {number} */ key) => Math.round(key * cellWidth * ratio);
  const y = (/** @type {number} */ query) => Math.round(query * cellHeight * ratio);
  canvas.width = x(keys);
  canvas.height = y(queries);
  const context = canvas.getContext("2d");
  if (!context) return;
  const shown = shades(head.values, head);
  const gap = cellWidth * ratio >= 8 ? 1 : 0;
  const masked = new Path2D();
  for (let query = 0; query < queries; query++) {
    const [top, bottom] = [y(query), y(query + 1)];
    for (let key = 0; key < keys; key++) {
      const [left, right] = [x(key), x(key + 1)];
      if (isMasked(kind, query, key)) {
        masked.rect(left, top, right - left, bottom - top);
      } else {
        context.fillStyle = weightColor(shown[query * keys + key], theme, look);
        context.fillRect(left, top, right - left - gap, bottom - top - gap);
      }
    }
  }
  hatch(context, masked, HATCH_PITCH * ratio, getComputedStyle(canvas).color);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Path2D} region
 * @param {number} pitch
 * @param {string} color
 */
function hatch(context, region, pitch, color) {
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
  const small = new OffscreenCanvas(keys, queries);
  const pixels = small.getContext("2d");
  if (!context || !pixels) return;
  context.imageSmoothingEnabled = false;
  for (const { layer, head, left, top, width, height } of tiles) {
    const values = headWeights(weights, layer, head);
    pixels.putImageData(headImage({ ...how, values, queries, keys }), 0, 0);
    const place = [left, top, width, height].map((length) => Math.round(length * ratio));
    const [x, y, w, h] = place;
    context.drawImage(small, x, y, w, h);
  }
}

/**
 * One pixel a cell.
 *
 * @param {Head} head
 */
function headImage(head) {
  const { values, queries, keys, kind, theme, look } = head;
  const image = new ImageData(keys, queries);
  const shown = shades(values, head);
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      if (isMasked(kind, query, key)) continue;
      const i = query * keys + key;
      image.data.set(weightRgb(shown[i], theme, look), 4 * i);
      image.data[4 * i + 3] = 255;
    }
  }
  return image;
}
