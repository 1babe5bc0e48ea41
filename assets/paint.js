/** Weights onto canvases. Colours have one meaning everywhere: weight 0 to 1. */

import { weightColor, weightRgb } from "./color.js";
import { headWeights, isMasked } from "./trace.js";

/**
 * @typedef {object} Head
 * @property {Float32Array} values  [query, key]
 * @property {number} queries
 * @property {number} keys
 * @property {import("./trace.js").Kind} kind
 * @property {import("./preferences.js").Theme} theme
 */

const HATCH_PITCH = 5;

/**
 * A matrix at the screen's own resolution; masked cells are hatched.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Head & {cellWidth: number, cellHeight: number}} head  cells in CSS pixels
 */
export function paintMatrix(canvas, head) {
  const { values, queries, keys, kind, theme, cellWidth, cellHeight } = head;
  const ratio = window.devicePixelRatio;
  const x = (/** @type {number} */ key) => Math.round(key * cellWidth * ratio);
  const y = (/** @type {number} */ query) => Math.round(query * cellHeight * ratio);
  canvas.width = x(keys);
  canvas.height = y(queries);
  const context = canvas.getContext("2d");
  if (!context) return;
  const gap = cellWidth * ratio >= 8 ? 1 : 0;
  const masked = new Path2D();
  for (let query = 0; query < queries; query++) {
    const [top, bottom] = [y(query), y(query + 1)];
    for (let key = 0; key < keys; key++) {
      const [left, right] = [x(key), x(key + 1)];
      if (isMasked(kind, query, key)) {
        masked.rect(left, top, right - left, bottom - top);
      } else {
        context.fillStyle = weightColor(values[query * keys + key], theme);
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
 * All heads of one kind, layers down and heads across, on one canvas that fills its element; masked
 * cells stay transparent. One canvas, because each one is a layer that the browser must put together
 * in every frame: with one a head that alone took longer than a frame.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {import("./trace.js").Weights} weights
 * @param {import("./trace.js").Kind} kind
 * @param {import("./preferences.js").Theme} theme
 * @param {number} gap  between thumbnails, in CSS pixels
 */
export function paintHeads(canvas, weights, kind, theme, gap) {
  const { layers, heads, queries, keys } = weights;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingEnabled = false;
  const small = new OffscreenCanvas(keys, queries);
  const [across, down] = [
    (canvas.width + gap * ratio) / heads,
    (canvas.height + gap * ratio) / layers,
  ];
  const [width, height] = [across - gap * ratio, down - gap * ratio];
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      const image = headImage({
        ...weights,
        values: headWeights(weights, layer, head),
        kind,
        theme,
      });
      small.getContext("2d")?.putImageData(image, 0, 0);
      const [left, top] = [Math.round(head * across), Math.round(layer * down)];
      context.drawImage(small, left, top, Math.round(width), Math.round(height));
    }
  }
}

/**
 * One pixel a cell.
 *
 * @param {Head} head
 */
function headImage({ values, queries, keys, kind, theme }) {
  const image = new ImageData(keys, queries);
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      if (isMasked(kind, query, key)) continue;
      const i = query * keys + key;
      image.data.set(weightRgb(values[i], theme), 4 * i);
      image.data[4 * i + 3] = 255;
    }
  }
  return image;
}
