/** What a map's colours stand for, whatever its numbers are: shares, lengths, differences. */

import { palette, signedPalette } from "./color.js";
import { PLAIN } from "./coloring.js";

/** @import { Numbers } from "../trace/words.js" */

/**
 * What the colours stand for: from 0 to `most`, or, if `signed`, from −`most` to `most`.
 *
 * @typedef {{signed: boolean, most: number}} Scale
 */

/**
 * The scale that fits numbers: signed if some are negative.
 *
 * @param {Numbers} numbers
 * @param {number} [most]  what the fullest colour stands for; by default the largest there is
 * @returns {Scale}
 */
export function scaleOf({ values }, most) {
  const there = values.filter((value) => !Number.isNaN(value));
  const largest = there.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  return { signed: there.some((value) => value < 0), most: most ?? (largest || 1) };
}

/**
 * Makes the colours of a scale of numbers.
 *
 * @param {Scale} scale
 * @param {import("./color.js").Theme} theme
 * @returns {(value: number) => number[]}  [red, green, blue], each 0 to 255
 */
export function scaleColor({ signed, most }, theme) {
  const color = signed ? signedPalette(theme) : palette(theme, PLAIN);
  return (value) => color(value / most);
}

/** Colours that a legend's bar runs through. */
const SAMPLES = 12;

/**
 * A scale as a CSS gradient, from its least to its most.
 *
 * @param {Scale} scale
 * @param {import("./color.js").Theme} theme
 */
export function scaleGradient(scale, theme) {
  const color = scaleColor(scale, theme);
  const least = scale.signed ? -scale.most : 0;
  const stops = Array.from({ length: SAMPLES + 1 }, (_, i) =>
    color(least + ((scale.most - least) * i) / SAMPLES),
  );
  return `linear-gradient(to right, ${stops.map((rgb) => `rgb(${rgb.join(" ")})`).join(", ")})`;
}
