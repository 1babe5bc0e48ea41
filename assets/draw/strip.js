/** Vectors as people read them: a strip of cells, coloured by sign and size. */

import { h } from "../kit/dom.js";
import { listed, numberText } from "../kit/numbers.js";

/** More numbers stand in several rows. */
const ROW = 64;

/**
 * Orange is negative, blue positive.
 *
 * @param {string} name
 * @param {ArrayLike<number>} vector
 * @param {number} [most]  the size whose colour is fullest; by default the vector's largest
 */
export function strip(name, vector, most = largest(vector)) {
  const values = Array.from(vector);
  const long = values.length > ROW;
  return h(
    "div",
    {
      class: long ? "strip long" : "strip",
      role: "img",
      // Hundreds of numbers are no name; whoever wants them opens the strip.
      "aria-label": long ? name : `${name}: ${listed(values.map((x) => numberText(x)))}`,
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

/**
 * The same in one element, for many at a time.
 *
 * @param {string} name
 * @param {ArrayLike<number>} vector
 * @param {number} most  the size whose colour is fullest
 */
export function band(name, vector, most) {
  const share = 100 / vector.length;
  const stops = Array.from(vector, (value, i) => {
    const size = Math.round((100 * Math.abs(value)) / most);
    const color = `color-mix(in oklab, var(--${value < 0 ? "minus" : "plus"}) ${size}%, var(--raised))`;
    return `${color} ${i * share}% ${(i + 1) * share}%`;
  });
  return h("div", {
    class: "band",
    role: "img",
    "aria-label": name,
    style: `background-image: linear-gradient(to right, ${stops.join(", ")})`,
  });
}

/** The largest absolute value of a vector. @param {ArrayLike<number>} vector */
export function largest(vector) {
  return Math.max(...Array.from(vector, Math.abs)) || 1;
}
