/** Vectors as people read them: a strip of cells, coloured by sign and size. */

import { h } from "./dom.js";

const MINUS = "−";

/**
 * @param {number} value
 * @param {number} [digits]
 */
export function numberText(value, digits = 3) {
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "∞";
  return value
    .toFixed(digits)
    .replace(/^-(?=0\.?0*$)/, "")
    .replace("-", MINUS);
}

/**
 * Orange is negative, blue positive.
 *
 * @param {string} name
 * @param {ArrayLike<number>} vector
 * @param {number} [most]  the size whose colour is fullest; by default the vector's largest
 */
export function strip(name, vector, most = largest(vector)) {
  const values = Array.from(vector);
  return h(
    "div",
    {
      class: "strip",
      role: "img",
      "aria-label": `${name}: ${values.map((x) => numberText(x)).join(", ")}`,
    },
    ...values.map((value, i) =>
      h("span", {
        class: value < 0 ? "minus" : "plus",
        style: `--size: ${Math.round((100 * Math.abs(value)) / most)}%`,
        title: `${i + 1}: ${numberText(value)}`,
      }),
    ),
  );
}

/** @param {ArrayLike<number>} vector */
export function largest(vector) {
  return Math.max(...Array.from(vector, Math.abs)) || 1;
}

/**
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
export function products(one, other) {
  return Array.from(one, (value, i) => value * other[i]);
}

/** @param {number[]} values */
export function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
