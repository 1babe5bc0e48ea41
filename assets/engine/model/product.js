/** The one hot function: a product with a matrix of weights, where nearly all of the time goes. */

import { kernelOf } from "./kernel.js";

/**
 * x Wᵀ + b for some of the rows of W, which are the features that come out.
 *
 * Loops are unrolled so that every weight that is read is used for four rows of `x`, or, where there
 * is one row, every number of it for four weights. Sums are float64, as JavaScript's numbers are.
 *
 * This is the text to be read. Where there is WebAssembly, `kernel.c` computes the same several times as
 * fast, and its sums are float32.
 *
 * @param {Float32Array} x  [rows, size]
 * @param {number} rows
 * @param {number} size
 * @param {Float32Array} weight  [features, size]
 * @param {Float32Array | null} bias  [features]
 * @param {number} start  the first feature
 * @param {number} stop  the one after the last
 * @returns {Float32Array}  [rows, stop - start]
 */
export function product(x, rows, size, weight, bias, start, stop) {
  const kernel = kernelOf(weight);
  if (kernel && size % 4 === 0) return kernel.product(x, rows, size, weight, bias, start, stop);
  const width = stop - start;
  const out = new Float32Array(rows * width);
  let row = 0;
  for (; row + 4 <= rows; row += 4) fourRows(x, row, size, weight, start, width, out);
  for (; row < rows; row++) oneRow(x, row, size, weight, start, width, out);
  if (bias) {
    for (let at = 0; at < out.length; at += width) {
      for (let i = 0; i < width; i++) out[at + i] += bias[start + i];
    }
  }
  return out;
}

/** @typedef {(x: Float32Array, row: number, size: number, weight: Float32Array, start: number, width: number, out: Float32Array) => void} Rows */

/** @type {Rows} */
function fourRows(x, row, size, weight, start, width, out) {
  const [p, q, r, s] = [row * size, (row + 1) * size, (row + 2) * size, (row + 3) * size];
  const at = row * width;
  let i = 0;
  for (; i + 2 <= width; i += 2) {
    const v = (start + i) * size;
    const w = v + size;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let k = 0; k < size; k++) {
      const y = weight[v + k];
      const z = weight[w + k];
      const x0 = x[p + k];
      const x1 = x[q + k];
      const x2 = x[r + k];
      const x3 = x[s + k];
      a += x0 * y;
      b += x0 * z;
      c += x1 * y;
      d += x1 * z;
      e += x2 * y;
      f += x2 * z;
      g += x3 * y;
      h += x3 * z;
    }
    out[at + i] = a;
    out[at + i + 1] = b;
    out[at + width + i] = c;
    out[at + width + i + 1] = d;
    out[at + 2 * width + i] = e;
    out[at + 2 * width + i + 1] = f;
    out[at + 3 * width + i] = g;
    out[at + 3 * width + i + 1] = h;
  }
  for (; i < width; i++) {
    for (let k = 0; k < 4; k++) {
      out[at + k * width + i] = dot(x, (row + k) * size, weight, (start + i) * size, size);
    }
  }
}

/** @type {Rows} */
function oneRow(x, row, size, weight, start, width, out) {
  const [p, at, even] = [row * size, row * width, size - (size % 2)];
  let i = 0;
  for (; i + 4 <= width; i += 4) {
    const q = (start + i) * size;
    const r = q + size;
    const s = r + size;
    const t = s + size;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let k = 0; k < even; k += 2) {
      const y = x[p + k];
      const z = x[p + k + 1];
      a += y * weight[q + k];
      b += y * weight[r + k];
      c += y * weight[s + k];
      d += y * weight[t + k];
      e += z * weight[q + k + 1];
      f += z * weight[r + k + 1];
      g += z * weight[s + k + 1];
      h += z * weight[t + k + 1];
    }
    if (even < size) {
      const y = x[p + even];
      a += y * weight[q + even];
      b += y * weight[r + even];
      c += y * weight[s + even];
      d += y * weight[t + even];
    }
    out[at + i] = a + e;
    out[at + i + 1] = b + f;
    out[at + i + 2] = c + g;
    out[at + i + 3] = d + h;
  }
  for (; i < width; i++) out[at + i] = dot(x, p, weight, (start + i) * size, size);
}

/** The dot product of two runs of numbers. @type {(one: Float32Array, from: number, other: Float32Array, at: number, size: number) => number} */
export function dot(one, from, other, at, size) {
  let sum = 0;
  for (let k = 0; k < size; k++) sum += one[from + k] * other[at + k];
  return sum;
}
