/**
 * Products with a matrix of weights, where nearly all of the time goes; and the sum that makes logits
 * probabilities.
 */

import { kernelOf } from "./kernel.js";
import { numbers } from "./tensors.js";

/**
 * x Wᵀ + b for some of the rows of W, which are the features that come out.
 *
 * Loops are unrolled so that every weight that is read is used for four rows of `x`, or, where there
 * is one row, every number of it for four weights. Sums are float64, as JavaScript's numbers are.
 *
 * This is the text to be read. Where there is WebAssembly, `kernel.c` computes the same several times as
 * fast, and its sums are float32. So for all functions here.
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
  const width = stop - start;
  const out = numbers(rows * width);
  const kernel = kernelOf(weight);
  if (kernel && size % 4 === 0) {
    const take = (/** @type {number} */ row, /** @type {Float32Array} */ some) =>
      out.set(some, row * width);
    kernel.product(x, rows, size, weight, bias, start, stop, take);
    return out;
  }
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

/**
 * x Wᵀ + b where most of x is 0, as behind a ReLU: only what is not is multiplied.
 *
 * x is [rows, size], columns [size, features], bias [features]; the product is [rows, features].
 *
 * @type {(x: Float32Array, rows: number, size: number, columns: Float32Array, bias: Float32Array) => Float32Array}
 */
export function productOfFew(x, rows, size, columns, bias) {
  const width = bias.length;
  const kernel = kernelOf(columns);
  if (kernel && width % 4 === 0) return kernel.productOfFew(x, rows, size, columns, bias);
  const out = numbers(rows * width);
  const sums = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    sums.set(bias);
    for (let k = 0; k < size; k++) {
      const y = x[row * size + k];
      if (y !== 0) for (let i = 0; i < width; i++) sums[i] += y * columns[k * width + i];
    }
    out.set(sums, row * width);
  }
  return out;
}

/**
 * x Wᵀ + b, of all features, row by row: of a vocabulary, no more logits at a time than are needed.
 *
 * @param {import("./tensors.js").Tensor} x  [rows, size]
 * @param {Float32Array} weight  [features, size]
 * @param {Float32Array | null} bias  [features]
 * @param {(row: number, products: Float32Array) => void} see  one row's, which it may change, and which
 *   the next ones overwrite
 */
export function productByRow({ shape: [rows, size], values }, weight, bias, see) {
  const width = weight.length / size;
  const kernel = kernelOf(weight);
  if (kernel && size % 4 === 0) {
    kernel.product(values, rows, size, weight, bias, 0, width, (first, some) => {
      for (let at = 0; at < some.length; at += width) {
        see(first + at / width, some.subarray(at, at + width));
      }
    });
    return;
  }
  for (let row = 0; row < rows; row++) {
    const x = values.subarray(row * size, (row + 1) * size);
    see(row, product(x, 1, size, weight, bias, 0, width));
  }
}

/**
 * The logarithm of the sum of all exponentials.
 *
 * @param {Float32Array} logits
 */
export function logSum(logits) {
  const kernel = kernelOf(logits);
  if (kernel) return kernel.logSum(logits);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (logits[i] > most) most = logits[i];
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i] - most);
  return most + Math.log(sum);
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
  // Four sums, so that none waits for the one before it.
  let [a, b, c, d] = [0, 0, 0, 0];
  const most = size - (size % 4);
  for (let k = 0; k < most; k += 4) {
    a += one[from + k] * other[at + k];
    b += one[from + k + 1] * other[at + k + 1];
    c += one[from + k + 2] * other[at + k + 2];
    d += one[from + k + 3] * other[at + k + 3];
  }
  for (let k = most; k < size; k++) a += one[from + k] * other[at + k];
  return a + b + c + d;
}
