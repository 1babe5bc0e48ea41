/** Weights that a page in one file carries, compressed layer by layer, as numbers that the viewer reads. */

import { KINDS } from "./kinds.js";
import { bytesOf } from "./unpack.js";

/** @import { PackedArray } from "./unpack.js" */

/** Parts of a whole, which `transformer/trace/packing.py` counts weights in. */
const WHOLE = 65535;

/** @typedef {{shape: number[], dtype: "uint16", triangle: boolean, data: string[]}} Compressed  a text by layer */

/**
 * A trace whose weights are float32; what is not compressed stays as it is.
 *
 * @param {Record<string, any>} values
 * @returns {Promise<Record<string, any>>}
 */
export async function inflated(values) {
  const read = { ...values };
  for (const kind of KINDS) {
    const packed = values[kind];
    read[kind] = Array.isArray(packed)
      ? await Promise.all(packed.map(inflatedArray))
      : await inflatedArray(packed);
  }
  return read;
}

/**
 * @param {PackedArray | Compressed | null | undefined} packed
 * @returns {Promise<PackedArray | null | undefined>}
 */
async function inflatedArray(packed) {
  if (packed?.dtype !== "uint16") return /** @type {PackedArray | null | undefined} */ (packed);
  const { shape, triangle, data } = /** @type {Compressed} */ (packed);
  const values = new Float32Array(shape.reduce((product, side) => product * side, 1));
  const size = values.length / data.length;
  const layers = await Promise.all(data.map(inflate));
  for (const [layer, planes] of layers.entries()) {
    const own = values.subarray(layer * size, (layer + 1) * size);
    spread(planes, own, shape[shape.length - 1], triangle);
  }
  return { shape, dtype: "float32", data: new Uint8Array(values.buffer) };
}

/** Decompresses bytes. @param {string} base64  of gzip */
export async function inflate(base64) {
  const stream = new Blob([bytesOf(base64)]).stream();
  const whole = new Response(stream.pipeThrough(new DecompressionStream("gzip")));
  return new Uint8Array(await whole.arrayBuffer());
}

/**
 * Spreads rows, of which in a triangle the first has one number, the second two, in each head anew.
 *
 * @param {Uint8Array} planes  the higher bytes of all numbers, then the lower ones
 * @param {Float32Array} values  to fill, rows of `keys` numbers
 * @param {number} keys
 * @param {boolean} triangle
 */
function spread(planes, values, keys, triangle) {
  const half = planes.length / 2;
  let at = 0;
  for (let row = 0; row * keys < values.length; row++) {
    const end = row * keys + (triangle ? (row % keys) + 1 : keys);
    for (let cell = row * keys; cell < end; cell++, at++) {
      values[cell] = ((planes[at] << 8) | planes[half + at]) / WHOLE;
    }
  }
}
