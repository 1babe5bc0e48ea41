/** The colour of a weight: one hue family, lightness even to the eye, the same for every head. */

/** @typedef {"light" | "dark"} Theme */
/** @typedef {"blue" | "viridis" | "grey"} ScaleName */

/**
 * How weights become colours.
 *
 * @typedef {object} Look
 * @property {ScaleName} scale
 * @property {number} gamma  exponent on the weight: below 1, small weights show more
 * @property {number} full  the weight from which on the colour is the scale's last
 * @property {boolean} rank  colour by the rank in the row instead
 */

/** @type {ScaleName[]} */
export const SCALES = ["blue", "viridis", "grey"];

/** @type {Look} */
export const PLAIN = { scale: "blue", gamma: 1, full: 1, rank: false };

const LEVELS = 256;

/**
 * Anchors in OKLab's polar form [lightness, chroma, hue in degrees], weight 0 first. Lightness does
 * the work, so that the order survives colour blindness, a bad projector and a black-white print.
 *
 * @type {Record<Theme, number[][]>}
 */
const ANCHORS = {
  light: [
    [0.96, 0.016, 230],
    [0.8, 0.09, 225],
    [0.56, 0.14, 250],
    [0.26, 0.11, 268],
  ],
  dark: [
    [0.25, 0.03, 268],
    [0.45, 0.13, 262],
    [0.72, 0.12, 235],
    [0.97, 0.035, 205],
  ],
};

/**
 * 256 colours from weight 0 to weight 1, equally far apart in OKLab.
 *
 * @param {Theme} theme
 * @returns {number[][]}  [red, green, blue], each 0 to 255
 */
function ramp(theme) {
  const points = ANCHORS[theme].map(([lightness, chroma, hue]) => {
    const angle = (hue * Math.PI) / 180;
    return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
  });
  const lengths = points
    .slice(1)
    .map((point, i) => Math.hypot(...point.map((x, c) => x - points[i][c])));
  const total = lengths.reduce((sum, length) => sum + length);
  return Array.from({ length: LEVELS }, (_, level) => {
    let along = (level / (LEVELS - 1)) * total;
    let segment = 0;
    while (segment < lengths.length - 1 && along > lengths[segment]) along -= lengths[segment++];
    const share = along / lengths[segment];
    return toRgb(points[segment].map((x, c) => x + share * (points[segment + 1][c] - x)));
  });
}

const RAMPS = { light: ramp("light"), dark: ramp("dark") };

/**
 * @param {number} weight  0 to 1
 * @param {Theme} theme
 * @returns {number[]}  [red, green, blue], each 0 to 255
 */
export function weightRgb(weight, theme) {
  return RAMPS[theme][Math.min(LEVELS - 1, Math.max(0, Math.round(weight * (LEVELS - 1))))];
}

/**
 * @param {number} weight
 * @param {Theme} theme
 */
export function weightColor(weight, theme) {
  return `rgb(${weightRgb(weight, theme).join(" ")})`;
}

/**
 * Black or white, whichever reads better on a weight's colour (always 4.5 to 1 or better).
 *
 * @param {number} weight
 * @param {Theme} theme
 */
export function inkOn(weight, theme) {
  const [r, g, b] = weightRgb(weight, theme).map((x) => toLinear(x / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
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
