/** Heads of one kind, small, side by side on one canvas. */

import { hasHead } from "../trace/choice.js";
import { headWeights, maskAt } from "../trace/weights.js";
import { fewer, headImage, resize } from "./paint.js";

/**
 * Where a thumbnail lies in its canvas, in CSS pixels.
 *
 * @typedef {import("../trace/choice.js").Choice & {left: number, top: number, width: number, height: number}} Tile
 */

/**
 * Heads of one kind as thumbnails on one canvas that fills its element; masked cells stay
 * transparent. One canvas, because each one is a layer that the browser must put together in every
 * frame: with one a head that alone took longer than a frame.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {import("../trace/weights.js").Weights} weights
 * @param {Omit<import("./paint.js").Head, "values" | "queries" | "keys">} how
 * @param {Tile[]} tiles
 * @param {number} [rows]  so many are drawn, from the first; the others stay transparent
 */
export function paintHeads(canvas, weights, how, tiles, rows = weights.queries) {
  const ratio = window.devicePixelRatio;
  resize(canvas, Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio));
  const context = canvas.getContext("2d");
  context?.clearRect(0, 0, canvas.width, canvas.height);
  if (context) drawHeads(context, weights, how, tiles, { rows, ratio });
}

/**
 * Draws heads as small pictures.
 *
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context
 * @param {import("../trace/weights.js").Weights} weights
 * @param {Omit<import("./paint.js").Head, "values" | "queries" | "keys">} how
 * @param {Tile[]} tiles
 * @param {{rows: number, ratio: number}} size  so many rows are drawn; pixels for each of CSS
 */
export function drawHeads(context, weights, how, tiles, { rows, ratio }) {
  const { queries, keys } = weights;
  context.imageSmoothingEnabled = false;
  for (const { layer, head, left, top, width, height } of tiles) {
    const causal = maskAt(weights, { layer });
    if (!hasHead({ layer, head }, weights)) continue;
    const values = headWeights(weights, { layer, head });
    const place = [left, top, width, height].map((length) => Math.round(length * ratio));
    const [x, y, w, h] = place;
    const part = (h * rows) / queries;
    // As many pixels as are seen: whole images of 144 heads of 256 tokens took a third of a second.
    const size = { width: fewer(keys, w), height: fewer(rows, part) };
    const image = headImage({ ...how, values, queries: rows, keys, causal }, size);
    context.drawImage(image, 0, 0, size.width, size.height, x, y, w, part);
  }
}
