/** In which order all heads stand: layers across and heads down, or by what was measured of them. */

import { sortRows } from "../../trace/statistics.js";
import { has, layerCount } from "../../trace/weights.js";

/** @import { Size } from "../../trace/choice.js" */
/** @import { HeadRow } from "../../trace/statistics.js" */

/** @typedef {{layer: number, head: number}} Head */
/** @typedef {typeof ORDERS[number]} Order */

/** Heads under one name, row by row; null where a layer has no such head. */
/** @typedef {{role: string | null, rows: (Head | null)[][]}} Group */

export const ORDERS = /** @type {const} */ (["layer", "role", "sharpness", "harm"]);

/** The layer at reading size; null where all heads are shown, or the model has no such layer. @type {(layer: number | null, size: Size) => number | null} */
export function layerRead(layer, size) {
  return layer !== null && layer < layerCount(size) ? layer : null;
}

/** @type {(size: Size) => Group[]} */
export function byLayer(size) {
  const layers = Array.from({ length: layerCount(size) }, (_, layer) => layer);
  const rows = Array.from({ length: size.heads }, (_, head) =>
    layers.map((layer) => (has(size, layer, head) ? { layer, head } : null)),
  );
  return [{ role: null, rows }];
}

/**
 * The sharpest first, or those whose loss harms most; by role, those of a role together, the clearest of
 * each first, and last those without one.
 *
 * @param {HeadRow[]} heads  of one kind
 * @param {Exclude<Order, "layer">} order
 * @param {string[]} roles  in their order
 * @param {number} across  heads in a row
 * @returns {Group[]}
 */
export function byMeasure(heads, order, roles, across) {
  if (order !== "role") {
    const sorted = sortRows(heads, order === "harm" ? "harm" : "-sharpness");
    return [{ role: null, rows: inRows(sorted, across) }];
  }
  const clear = [...heads].sort((one, other) => (other.share ?? 0) - (one.share ?? 0));
  return [...roles, null].flatMap((role) => {
    const own = clear.filter((head) => head.role === role);
    return own.length ? [{ role, rows: inRows(own, across) }] : [];
  });
}

/** @type {(heads: HeadRow[], across: number) => Head[][]} */
function inRows(heads, across) {
  const all = heads.map(({ layer, head }) => ({ layer, head }));
  const rows = Math.ceil(all.length / across);
  return Array.from({ length: rows }, (_, i) => all.slice(i * across, (i + 1) * across));
}

/**
 * How many heads have each role.
 *
 * @type {(heads: HeadRow[], roles: string[]) => {role: string, count: number}[]}
 */
export function roleCounts(heads, roles) {
  return roles
    .map((role) => ({ role, count: heads.filter((head) => head.role === role).length }))
    .filter(({ count }) => count > 0);
}
