/** Texts of a figure in SVG, and how wide they are. */

import { s } from "../kit/svg.js";

export const FONT =
  'Helvetica, Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

/** Of labels and of titles, in the drawing's own pixels. */
export const SIZE = { title: 15, label: 12 };

/** What XML has no way to write: control characters and halves of surrogate pairs. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {Record<string, string | number>} [attributes]
 */
export function text(content, x, y, attributes = {}) {
  return s("text", { x, y, ...attributes }, content.replace(UNWRITABLE, "\uFFFD"));
}

const context = document.createElement("canvas").getContext("2d");

/** @param {string} label */
export function measure(label) {
  if (!context) return label.length * SIZE.label;
  context.font = `${SIZE.label}px ${FONT}`;
  return context.measureText(label).width;
}

/** @param {string[]} labels */
export function widest(labels) {
  return Math.max(0, ...labels.map(measure));
}
