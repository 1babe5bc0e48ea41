/** The weights of all heads of a kind, and those of one head, or of several joined. */

/** @import { Aggregate, Choice } from "./choice.js" */

/**
 * In the order [layer, head, query, key]; `causal` is what is left of the decoder's mask.
 *
 * @typedef {{layers: number, heads: number, queries: number, keys: number, data: Float32Array, causal?: import("./kinds.js").Causal}} Weights
 */

/**
 * One head's weights, or an aggregate's, [query, key] in one run. One head is no copy; an aggregate
 * is computed when it is first asked for. Rows of a maximum need not sum to 1.
 *
 * @type {(weights: Weights, choice: Choice) => Float32Array}
 */
export function headWeights(weights, { layer, head }) {
  const { layers, heads, queries, keys, data } = weights;
  if (typeof layer === "number" && typeof head === "number") {
    const size = queries * keys;
    const start = (layer * heads + head) * size;
    return data.subarray(start, start + size);
  }
  const known = aggregates.get(weights) ?? new Map();
  aggregates.set(weights, known);
  const name = `${layer} ${head}`;
  if (!known.has(name)) {
    const overLayers = typeof layer === "string";
    const parts = Array.from({ length: overLayers ? layers : heads }, (_, i) =>
      headWeights(weights, overLayers ? { layer: i, head } : { layer, head: i }),
    );
    known.set(name, aggregate(parts, overLayers ? layer : /** @type {Aggregate} */ (head)));
  }
  return known.get(name);
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
 * @returns {{weight: number, layer: number, head: number}}
 */
export function strongestHead(weights, query, key, layer) {
  return headsAt(weights, { query, key, layer: layer ?? "max", head: "max" })[0];
}

/**
 * The heads that a choice joins, those that give a cell the most first; of one head itself alone.
 *
 * @param {Weights} weights
 * @param {Omit<import("./choice.js").Cell, "kind">} cell
 * @returns {{layer: number, head: number, weight: number}[]}
 */
export function headsAt({ layers, heads, queries, keys, data }, { query, key, ...choice }) {
  const all = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => i);
  const [inLayers, inHeads] = [
    typeof choice.layer === "number" ? [choice.layer] : all(layers),
    typeof choice.head === "number" ? [choice.head] : all(heads),
  ];
  return inLayers
    .flatMap((layer) =>
      inHeads.map((head) => ({
        ...{ layer, head },
        weight: data[((layer * heads + head) * queries + query) * keys + key],
      })),
    )
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
