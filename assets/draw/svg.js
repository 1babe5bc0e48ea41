/** Texts of a figure in SVG, and how wide they are. */

import { s } from "../kit/dom.js";

export const FONT =
  'Helvetica, Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

/** Sizes of labels and of titles, in the drawing's own pixels. */
export const SIZE = { title: 15, label: 12 };

/** What XML has no way to write: control characters and halves of surrogate pairs. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * A text in a figure.
 *
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {Record<string, string | number>} [attributes]
 */
export function text(content, x, y, attributes = {}) {
  return s("text", { x, y, ...attributes }, content.replace(UNWRITABLE, "\uFFFD"));
}

/** Colour of everything that is written, and how far it is from the edge. */
export const INK = "#191d29";
export const MARGIN = 16;

/**
 * A white sheet with a title, and under it what it is of.
 *
 * @type {(width: number, height: number, title: string, caption: string) => SVGElement}
 */
export function sheet(width, height, title, caption) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const bold = { "font-size": SIZE.title, "font-weight": "bold" };
  return s(
    "svg",
    { ...size, "font-family": FONT, "font-size": SIZE.label, fill: INK },
    s("title", {}, title),
    s("rect", { width, height, fill: "#fff" }),
    text(title, MARGIN, MARGIN + SIZE.title, bold),
    text(caption, MARGIN, MARGIN + 2 * SIZE.title + 4),
  );
}

/** @type {CanvasRenderingContext2D | null} */
let context = null;

/** How wide a label is in a figure, about. @param {string} label */
export function measure(label) {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return label.length * SIZE.label;
  context.font = `${SIZE.label}px ${FONT}`;
  return context.measureText(label).width;
}

/** How wide the widest of labels is in a figure. @param {string[]} labels */
export function widest(labels) {
  return Math.max(0, ...labels.map(measure));
}
