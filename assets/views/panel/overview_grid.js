/** Where the thumbnails of all heads stand: aggregates come last, and a little apart. */

import { AGGREGATES } from "../../trace/choice.js";
import { headCount } from "../../trace/weights.js";

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

/**
 * The thumbnails of a grid, in CSS pixels from its corner.
 *
 * @type {(width: number, height: number, layers: Part[], heads: Part[]) => import("../../draw/heads.js").Tile[]}
 */
export function tilesIn(width, height, layers, heads) {
  const [across, down] = [places(width, heads), places(height, layers)];
  return layers.flatMap((layer, y) =>
    heads.map((head, x) => {
      const [[left, wide], [top, high]] = [across[x], down[y]];
      return { layer, head, left, top, width: wide, height: high };
    }),
  );
}

/**
 * Where a layer stands that has no attention, and so leaves a gap.
 *
 * @param {import("../../trace/weights.js").Weights} weights
 * @param {Part[]} layers
 */
export function layersWithout(weights, layers) {
  return layers.flatMap((layer, y) =>
    typeof layer === "number" && headCount(weights, layer) === 0 ? [y] : [],
  );
}

/** Means and maxima that are shown: what was chosen, or all. */
export function joinedParts() {
  const layer = /** @type {Set<Part>} */ (new Set());
  const head = /** @type {Set<Part>} */ (new Set());
  /** @type {string | undefined} */
  let model;
  const all = () => layer.size + head.size === 2 * AGGREGATES.length;
  return {
    layer,
    head,
    all,
    /** Shows all, or no more than numbers. */
    toggle() {
      const folds = all();
      for (const side of [layer, head]) {
        if (folds) side.clear();
        else for (const part of AGGREGATES) side.add(part);
      }
    },
    /**
     * What is shown large is among them, and stays there until another model comes.
     *
     * @param {string | undefined} now  the model
     * @param {import("../../trace/choice.js").Choice | undefined} chosen
     */
    follow(now, chosen) {
      if (now !== model && !all()) {
        layer.clear();
        head.clear();
      }
      model = now;
      if (typeof chosen?.layer === "string") layer.add(chosen.layer);
      if (typeof chosen?.head === "string") head.add(chosen.head);
    },
  };
}
