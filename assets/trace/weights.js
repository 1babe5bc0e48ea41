/**
 * The one door to weights: those of all heads of a kind, those of one head, or of several joined. No
 * other module indexes them, so that layers of unlike numbers of heads are an idea of this one alone.
 */

import { everyHead, hasHead, headName } from "./choice.js";

/** @import { Aggregate, Choice, Size } from "./choice.js" */
/** @import { Causal } from "./kinds.js" */

/**
 * Weights in the order [layer, head, query, key]; `causal` is what is left of the mask, and `masks` the same
 * where layers differ. `heads` is the largest number in any layer; where layers differ `counts` has
 * that of each, 0 of one without attention. `sinks`: by layer [head, query], what a row gives to no key.
 *
 * Of a large trace heads come one by one: `arrived` has those that are here, aggregates too, by their
 * names; `data` is empty then, and `thumbnails` has a small picture of every head. Out of a file all
 * are here (held.js).
 *
 * @typedef {{layers: number, heads: number, queries: number, keys: number, data: Float32Array, counts?: number[], causal?: Causal, masks?: Causal[], sinks?: (Float32Array | null)[], arrived?: Map<string, Float32Array> & {cell?: (layer: number, head: number, at: number) => number}, thumbnails?: Thumbnails}} Weights
 */

/**
 * [head, row, key], heads in the order of `headIndex`: each byte is the largest weight of the cells that
 * fall together there, in 255ths, rounded up.
 *
 * @typedef {{rows: number, keys: number, bytes: Uint8Array}} Thumbnails
 */

/** How many layers there are. @param {Size} size */
export function layerCount({ layers }) {
  return layers;
}

/**
 * How many heads a layer has; 0 of one without attention, and of one that is not there.
 *
 * @param {Size} size
 * @param {number} layer
 */
export function headCount({ layers, heads, counts }, layer) {
  if (!(layer >= 0 && layer < layers)) return 0;
  return counts ? counts[layer] : heads;
}

/** Whether a layer has such a head. @type {(size: Size, layer: number, head: number) => boolean} */
export function has(size, layer, head) {
  return head >= 0 && head < headCount(size, layer);
}

/**
 * The numbers in one run as weights.
 *
 * @param {Float32Array} data  [layer, head, query, key]
 * @param {Omit<Weights, "data">} size
 * @returns {Weights}
 */
export function weightsOf(data, size) {
  return { ...size, data };
}

/**
 * Whether a head's weights, or an aggregate's, can be read now: those of a large trace come one by one.
 *
 * @type {(weights: Weights, choice: Choice) => boolean}
 */
export function isHere(weights, choice) {
  return weights.arrived ? weights.arrived.has(headName(choice)) : hasHead(choice, weights);
}

/**
 * One head's weights, or an aggregate's, [query, key] in one run; zeros where there is no such head, or
 * it is not here yet.
 *
 * @type {(weights: Weights, choice: Choice) => Float32Array}
 */
export function headWeights(weights, choice) {
  return head(weights, choice) ?? new Float32Array(weights.queries * weights.keys);
}

/**
 * One head's weights, or an aggregate's, [query, key] in one run. One head is no copy; an aggregate
 * is computed when it is first asked for, by layer first. Rows of a maximum need not sum to 1.
 *
 * @type {(weights: Weights, choice: Choice) => Float32Array | null}  null: there is no such head, or it
 *   is not here yet
 */
export function head(weights, choice) {
  const { queries, keys, data, arrived } = weights;
  if (arrived) return arrived.get(headName(choice)) ?? null;
  const size = queries * keys;
  return joined(weights, choice, "", (layer, head) => {
    const start = headIndex(weights, layer, head) * size;
    return data.subarray(start, start + size);
  });
}

/**
 * What each row of a head gives to no key at all.
 *
 * @type {(weights: Weights, choice: Choice) => Float32Array | null}  [query]; null: there is none
 */
export function sinkOf(weights, choice) {
  const { queries, sinks } = weights;
  if (!sinks?.some((sink) => sink !== null)) return null;
  return joined(weights, choice, "sink ", (layer, head) => {
    const sink = sinks[layer];
    return sink ? sink.subarray(head * queries, (head + 1) * queries) : new Float32Array(queries);
  });
}

/** How many heads stand before one. @type {(size: Size, layer: number, head: number) => number} */
export function headIndex({ heads, counts }, layer, head) {
  if (!counts) return layer * heads + head;
  let before = head;
  for (let i = 0; i < layer; i++) before += counts[i];
  return before;
}

/**
 * One head's numbers, or those of several element by element, worked out once.
 *
 * @param {Weights} weights
 * @param {Choice} choice
 * @param {string} what  is joined
 * @param {(layer: number, head: number) => Float32Array} one
 * @returns {Float32Array | null}
 */
export function joined(weights, { layer, head }, what, one) {
  if (typeof layer === "number" && typeof head === "number") {
    return has(weights, layer, head) ? one(layer, head) : null;
  }
  const joint = aggregates.get(weights) ?? new Map();
  aggregates.set(weights, joint);
  const name = `${what}${layer} ${head}`;
  if (!joint.has(name)) {
    const overLayers = typeof layer === "string";
    const count = overLayers ? weights.layers : headCount(weights, layer);
    const parts = Array.from({ length: count }, (_, i) =>
      joined(weights, overLayers ? { layer: i, head } : { layer, head: i }, what, one),
    ).filter((part) => part !== null);
    const how = overLayers ? layer : /** @type {Aggregate} */ (head);
    joint.set(name, parts.length ? aggregate(parts, how) : null);
  }
  return joint.get(name);
}

/**
 * What the heads of a choice may see: of several layers, what any of them may.
 *
 * @param {Weights} weights
 * @param {Pick<Choice, "layer">} choice
 * @returns {Causal | undefined}
 */
export function maskAt({ causal, masks }, { layer }) {
  if (!masks) return causal;
  return typeof layer === "number" ? (masks[layer] ?? causal) : causal;
}

/**
 * Whether a row is nothing but zeros, as only an intervention can make it: a softmax gives every key
 * a share, though one too small for the numbers that the page is sent may come as 0.
 *
 * @param {Float32Array} values  as `headWeights` gives them
 * @param {number} query
 * @param {number} keys
 */
export function isOff(values, query, keys) {
  return values.subarray(query * keys, (query + 1) * keys).every((weight) => weight === 0);
}

/** @type {WeakMap<Weights, Map<string, Float32Array>>} */
const aggregates = new WeakMap();

/**
 * Element by element.
 *
 * @param {Float32Array[]} parts
 * @param {Aggregate} how
 */
function aggregate(parts, how) {
  const result = new Float32Array(parts[0].length);
  for (const part of parts) {
    for (let i = 0; i < result.length; i++) {
      result[i] = how === "max" ? Math.max(result[i], part[i]) : result[i] + part[i] / parts.length;
    }
  }
  return result;
}

/**
 * The head that gives a cell its largest weight.
 *
 * @param {Weights} weights
 * @param {number} query
 * @param {number} key
 * @param {number | null} layer  null: of all layers
 * @returns {{weight: number, layer: number, head: number} | null}  null: they are not all here
 */
export function strongestHead(weights, query, key, layer) {
  const all = everyHead(weights).filter((choice) => layer === null || choice.layer === layer);
  if (!all.every((choice) => isHere(weights, choice))) return null;
  return headsAt(weights, { query, key, layer: layer ?? "max", head: "max" })[0] ?? null;
}

/**
 * The heads that a choice joins, as far as they are here, those that give a cell the most first; of one
 * head itself alone.
 *
 * @param {Weights} weights
 * @param {Omit<import("./choice.js").Cell, "kind">} cell
 * @returns {{layer: number, head: number, weight: number}[]}
 */
export function headsAt(weights, { query, key, ...choice }) {
  const { keys, arrived } = weights;
  const at = query * keys + key;
  const all = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => i);
  const inLayers = typeof choice.layer === "number" ? [choice.layer] : all(weights.layers);
  return inLayers
    .flatMap((layer) => {
      const inHeads =
        typeof choice.head === "number" ? [choice.head] : all(headCount(weights, layer));
      return inHeads
        .filter((head) => has(weights, layer, head) && isHere(weights, { layer, head }))
        .map((head) => ({
          ...{ layer, head },
          weight: arrived?.cell?.(layer, head, at) ?? headWeights(weights, { layer, head })[at],
        }));
    })
    .sort((one, other) => other.weight - one.weight);
}

/**
 * The key that a row of a head gives its largest weight.
 *
 * @param {Weights} weights
 * @param {Choice} choice
 * @param {number} query
 */
export function strongestKey(weights, choice, query) {
  const start = query * weights.keys;
  const row = headWeights(weights, choice).subarray(start, start + weights.keys);
  return row.indexOf(Math.max(...row));
}

/** Whether two kinds' weights have the same shape. @type {(one: Weights, other: Weights) => boolean}  layer by layer as many heads, over as many tokens */
export function sameShape(one, other) {
  const counts = (/** @type {Weights} */ weights) =>
    Array.from({ length: weights.layers }, (_, layer) => headCount(weights, layer));
  return (
    one.queries === other.queries &&
    one.keys === other.keys &&
    counts(one).join() === counts(other).join()
  );
}
