/** Where the thumbnails of all heads stand: aggregates come last, and a little apart. */

import { AGGREGATES } from "../../trace/choice.js";

/** @typedef {import("../../trace/choice.js").Choice["layer"]} Part  a layer or a head, or all joined */

/** Between thumbnails, and beside that before the aggregates, in CSS pixels. */
export const GAP = 4;
const APART = 6;

/**
 * Each by its number, then those that join them; one alone is its own mean.
 *
 * @param {number} length
 * @param {Set<Part>} joined
 * @returns {Part[]}
 */
export function withJoined(length, joined) {
  const numbers = Array.from({ length }, (_, i) => i);
  return length > 1 ? [...numbers, ...AGGREGATES.filter((part) => joined.has(part))] : numbers;
}

/** @type {(parts: Part[], each: string) => string} */
export function tracks(parts, each) {
  const first = parts.find((part) => typeof part === "string");
  return parts.map((part) => (part === first ? `${APART}px ${each}` : each)).join(" ");
}

/**
 * The grid's line of a thumbnail: the first is taken by labels, and aggregates stand apart.
 *
 * @param {Part} part
 * @param {number} i
 */
export function track(part, i) {
  return typeof part === "string" ? i + 3 : i + 2;
}

/**
 * Where the grid puts thumbnails along one side.
 *
 * @param {number} length  in CSS pixels
 * @param {Part[]} parts
 * @returns {[start: number, size: number][]}
 */
export function places(length, parts) {
  const apart = typeof parts.at(-1) === "string" ? APART + GAP : 0;
  const each = (length - apart + GAP) / parts.length;
  return parts.map((part, i) => [i * each + (typeof part === "string" ? apart : 0), each - GAP]);
}
