/**
 * The hot functions, compiled (`kernel.c`), and the memory in which they find a model's weights: these lie
 * there once, and everybody else reads them there. Where a browser or a policy has no WebAssembly, there
 * is none of this, and what each method names computes by itself.
 */

import { bytesOf } from "../../trace/unpack.js";
import { COMPILED, FUSED } from "./compiled.js";
import { numbers } from "./tensors.js";

/** @import { Tensor } from "./tensors.js" */

/** Rows of a product that are copied at a time: an even number. */
const ROWS = 48;

/** Bytes of a number, of four, and of a page of WebAssembly's memory. */
const [NUMBER, FOUR, PAGE] = [4, 16, 65_536];

/** By its memory. @type {WeakMap<ArrayBufferLike, Kernel>} */
const kernels = new WeakMap();

/**
 * The kernel whose memory holds these numbers.
 *
 * @param {Float32Array} numbers
 */
export function kernelOf(numbers) {
  return kernels.get(numbers.buffer) ?? null;
}

/**
 * Where a model's weights are to lie.
 *
 * @param {number[][]} shapes  of all of them
 * @returns {(size: number) => Float32Array}  room for a tensor of so many numbers
 */
export function roomFor(shapes) {
  try {
    const kernel = new Kernel(shapes);
    return (size) => kernel.room(size);
  } catch {
    // No WebAssembly, none with SIMD, none allowed, or no memory in one piece.
    return (size) => new Float32Array(size);
  }
}

/**
 * What `kernel.c` exports; places are in bytes.
 *
 * @typedef {object} Compiled
 * @property {(x: number, rows: number, size: number, weight: number, bias: number, width: number, out: number) => void} product
 * @property {(x: number, rows: number, size: number, columns: number, bias: number, width: number, out: number, found: number) => void} product_of_few
 * @property {(x: number, rows: number, size: number, weight: number, bias: number, eps: number, out: number) => void} norm
 * @property {(query: number, queries: number, key: number, keys: number, size: number, heads: number, scale: number, out: number) => void} scores
 * @property {(weights: number, queries: number, keys: number, value: number, size: number, heads: number, out: number) => void} gather
 * @property {(x: number, size: number, most: number) => number} sum_of_exponentials
 */

/** One model's: its memory never grows, or all that lies in it would be lost to its readers. */
export class Kernel {
  /** @param {number[][]} shapes */
  constructor(shapes) {
    const matrices = shapes.filter((shape) => shape.length === 2);
    const [outputs, inputs] = [0, 1].map((axis) => Math.max(0, ...matrices.map((s) => s[axis])));
    const weights = shapes.map((shape) => bytesFor(shape.reduce((size, side) => size * side, 1)));
    this.outAt = bytesFor(ROWS * inputs);
    // In front of the weights, so that none has the address 0, which stands for none.
    this.end = this.outAt + bytesFor(ROWS * outputs + inputs);
    const bytes = weights.reduce((sum, size) => sum + size, this.end);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    const [fused, compiled] = [bytesOf(FUSED), bytesOf(COMPILED)];
    /** Whether products are computed by what multiplies and adds at once. */
    this.isFused = WebAssembly.validate(fused);
    /** @type {Compiled} */
    this.compiled = {
      ...exportsOf(compiled, memory),
      ...(this.isFused ? exportsOf(fused, memory) : {}),
    };
    this.buffer = memory.buffer;
    this.x = new Float32Array(this.buffer, 0, ROWS * inputs);
    this.out = new Float32Array(this.buffer, this.outAt, ROWS * outputs + inputs);
    kernels.set(this.buffer, this);
  }

  /** @param {number} size */
  room(size) {
    const numbers = new Float32Array(this.buffer, this.end, size);
    this.end += bytesFor(size);
    return numbers;
  }

  /**
   * See `product.js`; `weight` and `bias` lie in this memory, and so does what is handed to `take`: some
   * rows of the product, which the next ones overwrite.
   *
   * @param {Float32Array} x
   * @param {number} rows
   * @param {number} size  a multiple of four
   * @param {Float32Array} weight
   * @param {Float32Array | null} bias
   * @param {number} start
   * @param {number} stop
   * @param {(row: number, some: Float32Array) => void} take  told which row is the first of these
   */
  product(x, rows, size, weight, bias, start, stop, take) {
    const width = stop - start;
    const weightAt = weight.byteOffset + NUMBER * start * size;
    const biasAt = bias ? bias.byteOffset + NUMBER * start : 0;
    for (let row = 0; row < rows; row += ROWS) {
      const count = Math.min(ROWS, rows - row);
      this.x.set(x.subarray(row * size, (row + count) * size));
      this.compiled.product(0, count, size, weightAt, biasAt, width, this.outAt);
      take(row, this.out.subarray(0, count * width));
    }
  }

  /**
   * See `product.js`; `columns` and `bias` lie in this memory.
   *
   * @type {(x: Float32Array, rows: number, size: number, columns: Float32Array, bias: Float32Array) => Float32Array}
   */
  productOfFew(x, rows, size, columns, bias) {
    const width = bias.length;
    const product = numbers(rows * width);
    const [at, biasAt] = [columns.byteOffset, bias.byteOffset];
    const foundAt = this.outAt + NUMBER * ROWS * width;
    for (let row = 0; row < rows; row += ROWS) {
      const count = Math.min(ROWS, rows - row);
      this.x.set(x.subarray(row * size, (row + count) * size));
      this.compiled.product_of_few(0, count, size, at, biasAt, width, this.outAt, foundAt);
      product.set(this.out.subarray(0, count * width), row * width);
    }
    return product;
  }

  /**
   * See `LayerNorm`; `weight` and `bias` lie in this memory.
   *
   * @type {(x: Tensor, weight: Float32Array, bias: Float32Array, eps: number) => Tensor}
   */
  norm({ shape, values }, weight, bias, eps) {
    const [rows, size] = shape;
    const normed = numbers(values.length);
    for (let row = 0; row < rows; row += ROWS) {
      const [from, count] = [row * size, Math.min(ROWS, rows - row)];
      this.out.set(values.subarray(from, from + count * size));
      const [at, biasAt] = [weight.byteOffset, bias.byteOffset];
      this.compiled.norm(this.outAt, count, size, at, biasAt, eps, this.outAt);
      normed.set(this.out.subarray(0, count * size), from);
    }
    return { shape, values: normed };
  }

  /**
   * Whether there is room for what attention reads and writes.
   *
   * @param {number} queries
   * @param {number} keys
   * @param {number} size  d_model
   * @param {number} heads
   */
  hasRoom(queries, keys, size, heads) {
    const [weights, vectors] = [heads * queries * keys, (queries + keys) * size];
    return (size / heads) % 4 === 0 && vectors <= this.x.length && weights <= this.out.length;
  }

  /**
   * See `attentionScores`.
   *
   * @type {(query: Tensor, key: Tensor, heads: number, scores: Tensor) => void}
   */
  scores({ shape: [queries, size], values }, key, heads, scores) {
    const keyAt = NUMBER * values.length;
    this.x.set(values);
    this.x.set(key.values, values.length);
    const scale = (size / heads) ** -0.5;
    this.compiled.scores(0, queries, keyAt, key.shape[0], size, heads, scale, this.outAt);
    scores.values.set(this.out.subarray(0, scores.values.length));
  }

  /**
   * See `gathered`.
   *
   * @type {(weights: Tensor, value: Tensor, mean: Tensor) => void}
   */
  gather({ shape: [heads, queries, keys], values }, value, mean) {
    this.out.set(values);
    this.x.set(value.values);
    const [size, meanAt] = [value.shape[1], NUMBER * value.values.length];
    this.compiled.gather(this.outAt, queries, keys, 0, size, heads, meanAt);
    mean.values.set(this.x.subarray(value.values.length, value.values.length + queries * size));
  }

  /**
   * See `product.js`.
   *
   * @param {Float32Array} numbers  in this memory
   */
  logSum(numbers) {
    const sum = this.compiled.sum_of_exponentials(numbers.byteOffset, numbers.length, 0);
    return this.x[0] + Math.log(sum);
  }
}

/**
 * A module that computes in this memory.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {WebAssembly.Memory} memory
 * @returns {any}
 */
function exportsOf(bytes, memory) {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } }).exports;
}

/**
 * Bytes that so many numbers take, with what keeps the next ones where four can be read at once.
 *
 * @param {number} numbers
 */
function bytesFor(numbers) {
  return Math.ceil((NUMBER * numbers) / FOUR) * FOUR;
}
