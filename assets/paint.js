/** Weights onto canvases. Colours have one meaning everywhere: weight 0 to 1. */

import { weightColor, weightRgb } from "./color.js";
import { isMasked } from "./trace.js";

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
 * @param {Head & {cell: number}} head  cell in CSS pixels
 */
export function paintMatrix(canvas, { values, queries, keys, kind, theme, cell }) {
  const ratio = window.devicePixelRatio;
  const edge = (/** @type {number} */ i) => Math.round(i * cell * ratio);
  canvas.width = edge(keys);
  canvas.height = edge(queries);
  const context = canvas.getContext("2d");
  if (!context) return;
  const gap = cell * ratio >= 8 ? 1 : 0;
  const masked = new Path2D();
  for (let query = 0; query < queries; query++) {
    const [top, bottom] = [edge(query), edge(query + 1)];
    for (let key = 0; key < keys; key++) {
      const [left, right] = [edge(key), edge(key + 1)];
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
 * A thumbnail: one pixel a cell, which the style sheet enlarges; masked cells stay transparent.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Head} head
 */
export function paintThumbnail(canvas, { values, queries, keys, kind, theme }) {
  canvas.width = keys;
  canvas.height = queries;
  const image = new ImageData(keys, queries);
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      if (isMasked(kind, query, key)) continue;
      const i = query * keys + key;
      image.data.set(weightRgb(values[i], theme), 4 * i);
      image.data[4 * i + 3] = 255;
    }
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}
