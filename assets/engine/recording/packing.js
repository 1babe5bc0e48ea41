/** Arrays as the server packs them: shape, dtype, bytes (`transformer/trace/packing.py`). */

import { half } from "../../trace/half.js";

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
