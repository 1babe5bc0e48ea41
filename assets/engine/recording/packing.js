/** Arrays as the server packs them: shape, dtype, bytes (`transformer/trace/packing.py`). */

/** @import { Tensor } from "../model/tensors.js" */
/** @import { PackedArray } from "../../trace/unpack.js" */

/** Packs a tensor as `trace/unpack.js` reads it. @type {(tensor: Tensor, dtype: "float16" | "float32") => PackedArray} */
export function pack({ shape, values }, dtype) {
  const size = dtype === "float16" ? 2 : 4;
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    if (dtype === "float16") view.setUint16(2 * i, half(values[i]), true);
    else view.setFloat32(4 * i, values[i], true);
  }
  return { shape, dtype, data: bytes };
}

/**
 * An array of any number of axes as nested lists; JSON has neither NaN nor infinity: these are null.
 *
 * @param {{shape: number[], values: ArrayLike<number>}} array
 * @returns {any[]}
 */
export function nested({ shape, values }) {
  const [length, ...rest] = shape;
  if (!rest.length) return Array.from(values, (x) => (Number.isFinite(x) ? x : null));
  const size = values.length / length;
  return Array.from({ length }, (_, i) =>
    nested({ shape: rest, values: Array.prototype.slice.call(values, i * size, (i + 1) * size) }),
  );
}

const one = new Float32Array(1);
const bits = new Uint32Array(one.buffer);

/**
 * The nearest IEEE 754 half precision number, ties to even.
 *
 * @param {number} value
 */
export function half(value) {
  one[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000;
  const exponent = (bits[0] >>> 23) & 0xff;
  const fraction = bits[0] & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction ? 0x200 : 0);
  const power = exponent - 112; // of half precision
  if (power >= 31) return sign | 0x7c00;
  if (power > 0) return sign | rounded((power << 23) | fraction, 13);
  // Below 2^-14 the leading one is written out; below 2^-25 nothing is left.
  return power < -10 ? sign : sign | rounded(0x800000 | fraction, 14 - power);
}

/**
 * @param {number} whole
 * @param {number} dropped  how many of its last bits
 */
function rounded(whole, dropped) {
  const quotient = whole >>> dropped;
  const rest = whole & ((1 << dropped) - 1);
  const middle = 1 << (dropped - 1);
  return quotient + Number(rest > middle || (rest === middle && (quotient & 1) === 1));
}
