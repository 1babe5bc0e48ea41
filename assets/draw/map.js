/** Numbers onto canvases, whatever they are: shares, lengths, differences. NaN is hatched. */

import { paintGrid } from "./paint.js";
import { scaleColor } from "./scale.js";

/**
 * Paints the cells of a map.
 *
 * @param {OffscreenCanvas} canvas
 * @param {import("../trace/words.js").Numbers} numbers
 * @param {{cellWidth: number, cellHeight: number}} cell  in CSS pixels
 * @param {import("./scale.js").Scale} scale
 * @param {import("./color.js").Theme} theme
 * @param {import("./paint.js").Inks} inks
 * @returns {import("./paint.js").Grid}
 */
export function paintMap(canvas, numbers, cell, scale, theme, inks) {
  const { rows, columns, values } = numbers;
  const image = new ImageData(columns, rows);
  const color = scaleColor(scale, theme);
  for (const [i, value] of values.entries()) {
    if (!Number.isNaN(value)) image.data.set([...color(value), 255], 4 * i);
  }
  const pixels = new OffscreenCanvas(columns, rows);
  pixels.getContext("2d")?.putImageData(image, 0, 0);
  const hatched = values.some(Number.isNaN)
    ? (/** @type {number} */ row, /** @type {number} */ column) =>
        Number.isNaN(values[row * columns + column])
    : null;
  return paintGrid(canvas, pixels, { rows, columns, ...cell }, hatched, inks);
}
