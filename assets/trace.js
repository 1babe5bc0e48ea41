/** A trace as the server sends it ("headlight-trace", version 1), decoded once for drawing. */

/** @typedef {"encoder_self" | "decoder_self" | "cross"} Kind */
/** @typedef {import("./head.js").Aggregate} Aggregate */
/** @typedef {import("./head.js").Choice & {kind: Kind, query: number, key: number}} Cell */
/** @typedef {{token: string, id: number, probability: number}} Candidate */
/** @typedef {{shape: number[], dtype: string, data: string}} PackedWeights */

/**
 * @typedef {object} Payload
 * @property {string} model
 * @property {string} source
 * @property {string} translation
 * @property {string[]} src
 * @property {string[]} tgt_in
 * @property {string[]} tgt_out
 * @property {number[]} tgt_ids
 * @property {Candidate[][]} candidates
 * @property {string} stop_reason
 * @property {string[]} [interventions]
 * @property {number} prefix_length  how many of tgt_out were forced
 * @property {import("./decoding.js").Sampling | null} [sampling]  null for greedy decoding
 * @property {PackedWeights | null} encoder_self
 * @property {PackedWeights | null} decoder_self
 * @property {PackedWeights | null} cross
 */

/**
 * Weights in the order [layer, head, query, key].
 *
 * @typedef {{layers: number, heads: number, queries: number, keys: number, data: Float32Array}} Weights
 */

/**
 * Row t of the decoder reads tgt_in[t] and predicts tgt_out[t].
 *
 * @typedef {Payload & {weights: Partial<Record<Kind, Weights>>}} Trace
 */

/** @type {Kind[]} */
export const KINDS = ["encoder_self", "decoder_self", "cross"];

/**
 * @param {Payload} payload
 * @returns {Trace}
 */
export function parseTrace(payload) {
  /** @type {Trace["weights"]} */
  const weights = {};
  for (const kind of KINDS) {
    const packed = payload[kind];
    if (packed) weights[kind] = unpack(packed);
  }
  return { ...payload, weights };
}

/**
 * One head's weights, or an aggregate's, [query, key] in one run. One head is no copy; an aggregate
 * is computed when it is first asked for. Rows of a maximum need not sum to 1.
 *
 * @param {Weights} weights
 * @param {number | Aggregate} layer
 * @param {number | Aggregate} head
 * @returns {Float32Array}
 */
export function headWeights(weights, layer, head) {
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
      overLayers ? headWeights(weights, i, head) : headWeights(weights, layer, i),
    );
    known.set(name, aggregate(parts, overLayers ? layer : /** @type {Aggregate} */ (head)));
  }
  return known.get(name);
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
 * What the model was forbidden to see, which is not the same as a weight of zero.
 *
 * @param {Kind} kind
 * @param {number} query
 * @param {number} key
 */
export function isMasked(kind, query, key) {
  return kind === "decoder_self" && key > query;
}

/**
 * The tokens along one side of a kind's matrix.
 *
 * @param {Trace} trace
 * @param {Kind} kind
 */
export function keyTokens(trace, kind) {
  return kind === "decoder_self" ? trace.tgt_in : trace.src;
}

/**
 * @param {PackedWeights} packed
 * @returns {Weights}
 */
function unpack({ shape, dtype, data }) {
  if (dtype !== "float16") throw new TypeError(`weights are float16, not ${dtype}`);
  const [layers, heads, queries, keys] = shape;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) values[i] = float16(view.getUint16(2 * i, true));
  return { layers, heads, queries, keys, data: values };
}

/**
 * @param {PackedWeights} packed  two axes of float32
 * @returns {Float32Array[]}  its rows
 */
export function unpackFloat32({ shape: [rows, columns], dtype, data }) {
  if (dtype !== "float32") throw new TypeError(`numbers are float32, not ${dtype}`);
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: rows }, (_, row) =>
    Float32Array.from({ length: columns }, (_, i) =>
      view.getFloat32(4 * (row * columns + i), true),
    ),
  );
}

/**
 * IEEE 754 half precision; weights are never negative, infinite or NaN.
 *
 * @param {number} bits
 */
function float16(bits) {
  const exponent = bits >> 10;
  const fraction = bits & 0x3ff;
  return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
}
