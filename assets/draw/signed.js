/** A table of numbers that may be negative, as an image: orange below 0, blue above, as in strips. */

/** @type {Record<import("./color.js").Theme, Record<"plus" | "minus" | "none", number[]>>} */
const COLORS = {
  light: { plus: [29, 98, 196], minus: [210, 96, 10], none: [255, 255, 255] },
  dark: { plus: [125, 179, 255], minus: [255, 154, 77], none: [25, 29, 41] },
};

/**
 * A pixel a number; the style sheet makes them large.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {ArrayLike<number>[]} rows  of numbers between -1 and 1
 * @param {import("./color.js").Theme} theme
 */
export function paintSigned(canvas, rows, theme) {
  const [width, height] = [rows[0].length, rows.length];
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.width = width;
  canvas.height = height;
  const image = context.createImageData(width, height);
  const { plus, minus, none } = COLORS[theme];
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < width; x++) {
      const full = row[x] < 0 ? minus : plus;
      const size = Math.min(1, Math.abs(row[x]));
      const at = 4 * (y * width + x);
      for (let i = 0; i < 3; i++) image.data[at + i] = none[i] + size * (full[i] - none[i]);
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}
