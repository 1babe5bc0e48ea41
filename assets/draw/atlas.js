/** Thumbnails of all heads, coloured once on one canvas, from which they are drawn wherever they stand. */

import { ranks } from "../trace/ranks.js";
import { smallMask, thumbnail } from "../trace/thumbnails.js";
import { headIndex, maskAt } from "../trace/weights.js";
import { coloringText } from "./coloring.js";
import { imageOf } from "./paint.js";

/** @import { Causal, Kind } from "../trace/kinds.js" */
/** @import { Weights } from "../trace/weights.js" */
/** @typedef {{theme: import("./color.js").Theme, coloring: import("./coloring.js").Coloring}} How */
/** @typedef {ReturnType<typeof makeAtlas>} Atlas */

/** Of each text the last one made: another theme or scale colours all anew. @type {WeakMap<Weights, {how: string, atlas: Atlas}>} */
const atlases = new WeakMap();

/** The small pictures of all heads in one canvas. @type {(weights: Weights, kind: Kind, how: How) => Atlas} */
export function atlasOf(weights, kind, how) {
  const name = `${how.theme} ${coloringText(how.coloring)}`;
  const last = atlases.get(weights);
  if (last?.how === name) return last.atlas;
  const atlas = makeAtlas(weights, kind, how);
  atlases.set(weights, { how: name, atlas });
  return atlas;
}

/**
 * @param {Weights} weights
 * @param {Kind} kind
 * @param {How} how
 */
function makeAtlas(weights, kind, how) {
  const { queries, keys, layers, heads } = weights;
  const side = { rows: Math.min(32, queries), keys: Math.min(32, keys) };
  const canvas = new OffscreenCanvas(layers * side.keys, heads * side.rows);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  /** @type {Set<number>} */
  const drawn = new Set();
  /** @type {Map<Causal | undefined, Uint8Array>} */
  const masks = new Map();

  /** @type {(layer: number, head: number) => boolean} */
  function color(layer, head) {
    const index = headIndex(weights, layer, head);
    if (drawn.has(index)) return true;
    const small = thumbnail(weights, layer, head);
    if (!small || !context) return false;
    const causal = maskAt(weights, { layer });
    const masked = masks.get(causal) ?? smallMask(kind, { queries, keys }, causal, small);
    masks.set(causal, masked);
    const values = shadesOf(small, masked, how);
    const { keys: width, rows: height } = small;
    const [x, y] = at(layer, head);
    context.putImageData(imageOf(values, { width, height }, how), x, y);
    drawn.add(index);
    return true;
  }

  /** @type {(layer: number, head: number) => [number, number, number, number]} */
  const at = (layer, head) => [layer * side.keys, head * side.rows, side.keys, side.rows];

  return {
    /**
     * @param {CanvasRenderingContext2D} to
     * @param {{layer: number, head: number}} choice
     * @param {[x: number, y: number, width: number, height: number]} box  in pixels
     * @returns {boolean}  whether it is here
     */
    draw(to, { layer, head }, box) {
      if (!color(layer, head)) return false;
      to.drawImage(canvas, ...at(layer, head), ...box);
      return true;
    },
  };
}

/** @type {(small: import("../trace/thumbnails.js").Thumbnail, masked: Uint8Array, how: How) => Float32Array} */
function shadesOf({ rows, keys, bytes }, masked, { coloring }) {
  const values = Float32Array.from(bytes, (byte) => byte / 255);
  const allowed = masked.map((hidden) => 1 - hidden);
  const size = { queries: rows, keys, kind: /** @type {const} */ ("cross") };
  const shown = coloring.rank ? ranks(values, { ...size, causal: { keys, allowed } }) : values;
  for (const [i, hidden] of masked.entries()) if (hidden) shown[i] = Number.NaN;
  return shown;
}
