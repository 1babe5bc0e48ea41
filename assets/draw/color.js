/**
 * The colour of a weight: lightness even to the eye, the same for every head.
 *
 * This room turns numbers into pixels and labels: colours, matrices, marks, strokes, figures. What
 * it draws comes in as arguments; it knows nothing of the store or of what a person does.
 */

import { PLAIN } from "./coloring.js";

/** @typedef {"light" | "dark"} Theme */
/** @import { Coloring, ScaleName } from "./coloring.js" */

const LEVELS = 256;

/** Every tenth of van der Walt and Smith's "viridis" (CC0), published with matplotlib, 2015. */
const VIRIDIS = [
  0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151,
  0xbddf26, 0xfde725,
].map(toLab);

/**
 * A scale runs through its anchors, weight 0 first. Lightness does the work in each, so that the
 * order survives colour blindness, a bad projector and a black-white print.
 *
 * @type {Record<ScaleName | "minus", Record<Theme, number[][]>>}
 */
const ANCHORS = {
  blue: {
    light: [
      polar(0.96, 0.016, 230),
      polar(0.8, 0.09, 225),
      polar(0.56, 0.14, 250),
      polar(0.26, 0.11, 268),
    ],
    dark: [
      polar(0.25, 0.03, 268),
      polar(0.45, 0.13, 262),
      polar(0.72, 0.12, 235),
      polar(0.97, 0.035, 205),
    ],
  },
  viridis: { light: VIRIDIS, dark: VIRIDIS },
  grey: {
    light: [polar(0.97, 0, 0), polar(0.16, 0, 0)],
    dark: [polar(0.26, 0, 0), polar(0.98, 0, 0)],
  },
  // What lies below 0, where blue is what lies above.
  minus: {
    light: [
      polar(0.96, 0.016, 70),
      polar(0.82, 0.09, 65),
      polar(0.62, 0.15, 50),
      polar(0.36, 0.1, 40),
    ],
    dark: [
      polar(0.25, 0.03, 55),
      polar(0.48, 0.11, 50),
      polar(0.74, 0.14, 60),
      polar(0.96, 0.05, 85),
    ],
  },
};

/** @type {Map<string, number[][]>} */
const ramps = new Map();

/**
 * 256 colours from weight 0 to weight 1, equally far apart in OKLab.
 *
 * @param {ScaleName | "minus"} scale
 * @param {Theme} theme
 * @returns {number[][]}  [red, green, blue], each 0 to 255
 */
function ramp(scale, theme) {
  const name = `${scale} ${theme}`;
  const earlier = ramps.get(name);
  if (earlier) return earlier;
  const points = ANCHORS[scale][theme];
  const lengths = points
    .slice(1)
    .map((point, i) => Math.hypot(...point.map((x, c) => x - points[i][c])));
  const total = lengths.reduce((sum, length) => sum + length);
  const colors = Array.from({ length: LEVELS }, (_, level) => {
    let along = (level / (LEVELS - 1)) * total;
    let segment = 0;
    while (segment < lengths.length - 1 && along > lengths[segment]) along -= lengths[segment++];
    const share = along / lengths[segment];
    return toRgb(points[segment].map((x, c) => x + share * (points[segment + 1][c] - x)));
  });
  ramps.set(name, colors);
  return colors;
}

/**
 * Makes the colours of a scale.
 *
 * @param {Theme} theme
 * @param {Coloring} coloring
 * @returns {(weight: number) => number[]}  of a weight, or of its rank in its row if the coloring
 *   says so, [red, green, blue], each 0 to 255
 */
export function palette(theme, { scale, gamma, full, rank }) {
  const colors = ramp(scale, theme);
  const plain = rank || (gamma === 1 && full === 1);
  return (weight) => {
    const share = plain ? weight : (weight / full) ** gamma;
    return colors[Math.min(LEVELS - 1, Math.max(0, Math.round(share * (LEVELS - 1))))];
  };
}

/**
 * Orange is negative, blue positive; both begin where 0 is.
 *
 * @param {Theme} theme
 * @returns {(share: number) => number[]}  of −1 to 1, [red, green, blue], each 0 to 255
 */
export function signedPalette(theme) {
  const [minus, plus] = [ramp("minus", theme), ramp("blue", theme)];
  return (share) => {
    const level = Math.min(LEVELS - 1, Math.round(Math.abs(share) * (LEVELS - 1)));
    return (share < 0 ? minus : plus)[level];
  };
}

/** The colour of a weight, [red, green, blue]. @type {(weight: number, theme: Theme, coloring?: Coloring) => number[]} */
export function weightRgb(weight, theme, coloring = PLAIN) {
  return palette(theme, coloring)(weight);
}

/** The colour of a weight, as CSS has it. @type {(weight: number, theme: Theme, coloring?: Coloring) => string} */
export function weightColor(weight, theme, coloring = PLAIN) {
  return `rgb(${weightRgb(weight, theme, coloring).join(" ")})`;
}

/**
 * Black or white, whichever reads better on a weight's colour (always 4.5 to 1 or better).
 *
 * @param {number} weight
 * @param {Theme} theme
 * @param {Coloring} coloring
 */
export function inkOn(weight, theme, coloring = PLAIN) {
  const [r, g, b] = weightRgb(weight, theme, coloring).map((x) => toLinear(x / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

/** @type {(lightness: number, chroma: number, hue: number) => number[]} */
function polar(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

/**
 * The inverse of `toRgb`, of the same source.
 *
 * @param {number} hex
 */
function toLab(hex) {
  const [r, g, b] = [hex >> 16, (hex >> 8) & 255, hex & 255].map((x) => toLinear(x / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * Source: Björn Ottosson, "A perceptual color space for image processing", 2020.
 *
 * @param {number[]} lab
 */
function toRgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((x) => Math.round(255 * toGamma(Math.min(1, Math.max(0, x)))));
}

/** @param {number} x */
function toGamma(x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

/** @param {number} x */
function toLinear(x) {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}
