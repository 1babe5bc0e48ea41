/**
 * What the model is put together from, as `torch.nn` has it: modules that run, and hooks that look at
 * what comes out of one, or replace it.
 */

import { spread } from "../../trace/vectors.js";
import { kernelOf } from "./kernel.js";
import { product, productOfFew } from "./product.js";
import { rowOf, zeros } from "./tensors.js";

/** @import { Tensor } from "./tensors.js" */

/**
 * What a module has computed, and from what; whatever it returns takes the place of `output`. A hook
 * changes no tensor that it is given, but a copy.
 *
 * @typedef {(output: Tensor, args: any[]) => Tensor | void} Hook
 */

/**
 * Where the weights come from: by their names in a checkpoint, and the shapes that they must have.
 *
 * @typedef {(name: string, ...shape: number[]) => Float32Array} Read
 */

/** A part of the model, whose output hooks may read or replace. @template {any[]} Args */
export class Module {
  /** @type {Hook[]} */
  hooks = [];

  /**
   * What this module computes; to be called through `run`.
   *
   * @param {Args} _args
   * @returns {Tensor}
   */
  forward(..._args) {
    throw new TypeError("every module has its own");
  }

  /** @param {Args} args */
  run(...args) {
    let output = this.forward(...args);
    for (const hook of this.hooks) output = hook(output, args) ?? output;
    return output;
  }
}

/**
 * A named place in the model where a hook may look at a tensor, or replace it.
 *
 * @template {[Tensor, ...any[]]} [Args=[Tensor]]
 * @extends {Module<Args>}
 */
export class HookPoint extends Module {
  /** @param {Args} args */
  forward(...[tensor]) {
    return tensor;
  }
}

/**
 * x Wᵀ + b.
 *
 * @extends {Module<[Tensor]>}
 */
export class Linear extends Module {
  /**
   * @param {Float32Array} weight  [outputs, inputs]
   * @param {Float32Array | null} bias  [outputs]
   * @param {number} inputs
   * @param {number} outputs
   */
  constructor(weight, bias, inputs, outputs) {
    super();
    this.weight = weight;
    this.bias = bias;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /**
   * @param {Read} read
   * @param {string} name
   * @param {number} inputs
   * @param {number} outputs
   */
  static read(read, name, inputs, outputs) {
    const weight = read(`${name}.weight`, outputs, inputs);
    return new Linear(weight, read(`${name}.bias`, outputs), inputs, outputs);
  }

  /** @param {Tensor} x  [length, inputs] */
  forward(x) {
    return this.part(x, 0, this.outputs);
  }

  /**
   * Output features `start` to `stop`, without computing the others.
   *
   * @param {Tensor} x  [length, inputs]
   * @param {number} start
   * @param {number} stop
   * @returns {Tensor}  [length, stop - start]
   */
  part(x, start, stop) {
    const [length] = x.shape;
    const values = product(x.values, length, this.inputs, this.weight, this.bias, start, stop);
    return { shape: [length, stop - start], values };
  }
}

/**
 * The same where most of `x` is 0, as behind a ReLU. Its weights are turned over, [inputs, outputs], so
 * that what one input is multiplied with stands together, and need not be read where it is 0.
 *
 * @extends {Module<[Tensor]>}
 */
export class LinearOfFew extends Module {
  /**
   * @param {Read} read
   * @param {string} name
   * @param {number} inputs
   * @param {number} outputs
   */
  constructor(read, name, inputs, outputs) {
    super();
    this.weight = read(`${name}.weight`, outputs, inputs);
    this.bias = read(`${name}.bias`, outputs);
    const rows = this.weight.slice();
    for (let k = 0, at = 0; k < inputs; k++) {
      for (let i = 0; i < outputs; i++) this.weight[at++] = rows[i * inputs + k];
    }
  }

  /** @param {Tensor} x  [length, inputs] */
  forward({ shape: [length, inputs], values }) {
    const sums = productOfFew(values, length, inputs, this.weight, this.bias);
    return { shape: [length, this.bias.length], values: sums };
  }
}

/**
 * (x − mean) / √(variance + ε) · γ + β, each row by itself.
 *
 * @extends {Module<[Tensor]>}
 */
export class LayerNorm extends Module {
  eps = 1e-5;

  /**
   * @param {Read} read
   * @param {string} name
   * @param {number} size
   */
  constructor(read, name, size) {
    super();
    this.weight = read(`${name}.weight`, size);
    this.bias = read(`${name}.bias`, size);
  }

  /** @param {Tensor} x  [length, size] */
  forward(x) {
    const [length, size] = x.shape;
    const kernel = kernelOf(this.weight);
    if (kernel && size % 4 === 0) return kernel.norm(x, this.weight, this.bias, this.eps);
    const normed = zeros(length, size);
    for (let row = 0; row < length; row++) {
      const [vector, into] = [rowOf(x, row), rowOf(normed, row)];
      const { mean, deviation } = spread(vector, this.eps);
      for (let i = 0; i < size; i++) {
        into[i] = ((vector[i] - mean) / deviation) * this.weight[i] + this.bias[i];
      }
    }
    return normed;
  }
}

/**
 * A table's row of each id.
 *
 * @extends {Module<[number[]]>}
 */
export class TokenEmbedding extends Module {
  /**
   * @param {Float32Array} weight  [vocabulary, size]
   * @param {number} size
   */
  constructor(weight, size) {
    super();
    this.weight = weight;
    this.size = size;
  }

  /** @param {number[]} ids */
  forward(ids) {
    const vectors = zeros(ids.length, this.size);
    for (const [row, id] of ids.entries()) {
      const vector = this.weight.subarray(id * this.size, (id + 1) * this.size);
      vectors.values.set(vector, row * this.size);
    }
    return vectors;
  }
}
