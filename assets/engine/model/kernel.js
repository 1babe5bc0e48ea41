/**
 * The hot function, compiled (`kernel.c`), and the memory in which it finds a model's weights: they lie
 * there once, and everybody else reads them there. Where a browser or a policy has no WebAssembly, there
 * is none of this, and `product.js` computes by itself.
 */

import { bytesOf } from "../../trace/unpack.js";
import { COMPILED } from "./compiled.js";

/** Of these many rows of a product at a time there is a copy: an even number. */
const ROWS = 16;

/** Bytes of a number, of four, and of a page of WebAssembly's memory. */
const [NUMBER, FOUR, PAGE] = [4, 16, 65_536];

/** By its memory. @type {WeakMap<ArrayBufferLike, Kernel>} */
const kernels = new WeakMap();

/**
 * The kernel whose memory holds these weights.
 *
 * @param {Float32Array} weight
 */
export function kernelOf(weight) {
  return kernels.get(weight.buffer) ?? null;
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

/** One model's: its memory never grows, or all that lies in it would be lost to its readers. */
class Kernel {
  /** @param {number[][]} shapes */
  constructor(shapes) {
    const matrices = shapes.filter((shape) => shape.length === 2);
    const [outputs, inputs] = [0, 1].map((axis) => Math.max(0, ...matrices.map((s) => s[axis])));
    const weights = shapes.map((shape) => bytesFor(shape.reduce((size, side) => size * side, 1)));
    this.outAt = bytesFor(ROWS * inputs);
    // In front of the weights, so that none has the address 0, which stands for none.
    this.end = this.outAt + bytesFor(ROWS * outputs);
    const bytes = weights.reduce((sum, size) => sum + size, this.end);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(COMPILED)), {
      env: { memory },
    });
    this.compiled = /** @type {(...numbers: number[]) => void} */ (exports.product);
    this.buffer = memory.buffer;
    this.x = new Float32Array(this.buffer, 0, ROWS * inputs);
    this.out = new Float32Array(this.buffer, this.outAt, ROWS * outputs);
    kernels.set(this.buffer, this);
  }

  /** @param {number} size */
  room(size) {
    const numbers = new Float32Array(this.buffer, this.end, size);
    this.end += bytesFor(size);
    return numbers;
  }

  /**
   * See `product.js`; `weight` and `bias` lie in this memory.
   *
   * @param {Float32Array} x
   * @param {number} rows
   * @param {number} size  a multiple of four
   * @param {Float32Array} weight
   * @param {Float32Array | null} bias
   * @param {number} start
   * @param {number} stop
   */
  product(x, rows, size, weight, bias, start, stop) {
    const width = stop - start;
    const product = new Float32Array(rows * width);
    const weightAt = weight.byteOffset + NUMBER * start * size;
    const biasAt = bias ? bias.byteOffset + NUMBER * start : 0;
    for (let row = 0; row < rows; row += ROWS) {
      const count = Math.min(ROWS, rows - row);
      this.x.set(x.subarray(row * size, (row + count) * size));
      this.compiled(0, count, size, weightAt, biasAt, width, this.outAt);
      product.set(this.out.subarray(0, count * width), row * width);
    }
    return product;
  }
}

/**
 * Bytes that so many numbers take, with what keeps the next ones where four can be read at once.
 *
 * @param {number} numbers
 */
function bytesFor(numbers) {
  return Math.ceil((NUMBER * numbers) / FOUR) * FOUR;
}
