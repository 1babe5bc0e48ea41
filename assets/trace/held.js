/** Weights of a large trace out of a file: kept as float16, and a head's widened when it is looked at. */

import { hasHead, headName, isOneHead, parseHead } from "./choice.js";
import { halves } from "./unpack.js";
import { joined, weightsOf } from "./weights.js";

/** @import { Weights } from "./weights.js" */
/** @typedef {import("./unpack.js").PackedArray & {data: Uint8Array<ArrayBuffer>}} Halves  of float16 */

/** Bytes of heads that stay wide; of more, those go that were not looked at for longest. */
const MOST = 6e6;

/**
 * Weights of which a head is widened when it is asked for.
 *
 * @param {Halves | (Halves | null)[]} packed  [layer, head, query, key], or [head, query, key] by layer
 * @returns {Weights}
 */
export function heldWeights(packed) {
  const all = Array.isArray(packed) ? packed : Array(packed.shape[0]).fill(packed);
  const counts = all.map((each) => each?.shape.at(-3) ?? 0);
  const [queries, keys] = all.find((each) => each !== null)?.shape.slice(-2) ?? [0, 0];
  const size = { layers: all.length, heads: Math.max(...counts), queries, keys, counts };
  const weights = weightsOf(new Float32Array(), size);
  return { ...weights, arrived: new Held(weights, packed) };
}

/** Heads by their names, means and maxima too. @extends {Map<string, Float32Array>} */
class Held extends Map {
  #weights;
  #packed;

  /**
   * @param {Weights} weights  by their size
   * @param {Halves | (Halves | null)[]} packed
   */
  constructor(weights, packed) {
    super();
    this.#weights = weights;
    this.#packed = packed;
  }

  /** @override @param {string} name */
  has(name) {
    const choice = parseHead(name);
    return choice !== null && hasHead(choice, this.#weights);
  }

  /** @override @param {string} name @returns {Float32Array | undefined} */
  get(name) {
    const choice = parseHead(name);
    if (!choice || !hasHead(choice, this.#weights)) return undefined;
    if (!isOneHead(choice)) {
      const one = (/** @type {number} */ layer, /** @type {number} */ head) =>
        /** @type {Float32Array} */ (this.get(headName({ layer, head })));
      return joined(this.#weights, choice, "", one) ?? undefined;
    }
    const values = super.get(name) ?? this.#widened(choice);
    super.delete(name);
    super.set(name, values);
    const [oldest] = this.keys();
    if (this.size * values.byteLength > MOST && oldest !== name) super.delete(oldest);
    return values;
  }

  /** One number, for which no head need be widened. @type {(layer: number, head: number, at: number) => number} */
  cell(layer, head, at) {
    return halves()[this.#bits(layer, head)[at]];
  }

  /** @param {{layer: number, head: number}} place */
  #widened({ layer, head }) {
    const [numbers, bits] = [halves(), this.#bits(layer, head)];
    const values = new Float32Array(bits.length);
    for (let i = 0; i < values.length; i++) values[i] = numbers[bits[i]];
    return values;
  }

  /** @param {number} layer @param {number} head */
  #bits(layer, head) {
    const { heads, queries, keys } = this.#weights;
    const size = queries * keys;
    const [packed, index] = Array.isArray(this.#packed)
      ? [this.#packed[layer], head]
      : [this.#packed, layer * heads + head];
    const { buffer, byteOffset } = /** @type {Halves} */ (packed).data;
    return new Uint16Array(buffer, byteOffset + 2 * index * size, size);
  }
}
