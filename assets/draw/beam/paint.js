/** A beam on a canvas: light that is strongest at the lamp, as wide and as strong as its weight. */

import { pixelRatio, resize } from "../paint.js";
import { corners } from "./ribbons.js";

/** @import { Ribbon } from "./ribbons.js" */

/** The share of the light that reaches the word. */
export const FADED = 0.65;

/**
 * @typedef {object} Light
 * @property {(head: number) => string} colorOf  of several heads, each has its own
 * @property {number} height
 * @property {(ray: import("../../trace/beam.js").Ray) => boolean} [far]  rays that are dimmed
 */

/**
 * Paints ribbons of light between words.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Ribbon[]} ribbons
 * @param {Light & {width: number}} light
 */
export function paintBeam(canvas, ribbons, { width, ...light }) {
  const { height } = light;
  const ratio = pixelRatio(Math.max(width, height));
  resize(canvas, Math.round(width * ratio), Math.round(height * ratio));
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const shine = (/** @type {Ribbon["ray"]} */ ray) => {
    context.globalAlpha = strength(ray.weight) * (light.far?.(ray) ? 0.25 : 1);
    context.fillStyle = light.colorOf(ray.head);
  };
  for (const ribbon of ribbons) {
    shine(ribbon.ray);
    context.beginPath();
    for (const [x, y] of corners(ribbon, height)) context.lineTo(x, y);
    context.fill();
  }
  // Over all light, which may be of their colour.
  for (const { ray, word } of ribbons) {
    if (!word.edge) continue;
    clearMark(context, word);
    shine(ray);
    context.fill();
  }
  // All light fades on its way, at once: a gradient for each ray would take longer than all else.
  const fading = context.createLinearGradient(0, 0, 0, height);
  fading.addColorStop(0, `rgb(0 0 0 / ${FADED})`);
  fading.addColorStop(1, "#000");
  context.globalAlpha = 1;
  context.globalCompositeOperation = "destination-in";
  context.fillStyle = fading;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = "source-over";
}

/**
 * How strong the light of a weight is; however faint, it is seen.
 *
 * @param {number} weight
 */
export function strength(weight) {
  return 0.3 + 0.7 * Math.sqrt(Math.min(1, weight));
}

/**
 * The path of what points on, where the word is out of sight; no light lies there, nor around it.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {import("./ribbons.js").End} end
 */
function clearMark(context, { x, edge }) {
  const tip = x + 6 * edge;
  context.beginPath();
  context.moveTo(tip, 5);
  context.lineTo(tip - 6 * edge, 0.5);
  context.lineTo(tip - 6 * edge, 9.5);
  context.closePath();
  context.globalAlpha = 1;
  context.globalCompositeOperation = "destination-out";
  context.lineWidth = 4;
  context.stroke();
  context.globalCompositeOperation = "source-over";
}
