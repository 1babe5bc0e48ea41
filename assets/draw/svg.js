/** Elements of a drawing in SVG, and how wide its texts are. */

const NAMESPACE = "http://www.w3.org/2000/svg";

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
  return element("text", { x, y, ...attributes }, content.replace(UNWRITABLE, "\uFFFD"));
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [content]
 */
export function element(name, attributes, content = "") {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (content) made.textContent = content;
  return made;
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
