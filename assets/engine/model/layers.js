/**
 * What an encoder and a decoder are made of: positions, feed-forward network, layers
 * (`transformer/model/layers.py`).
 */

import { sinusoid } from "../../trace/positions.js";
import { MultiHeadAttention } from "./attention.js";
import { HookPoint, LayerNorm, Linear, LinearOfFew, Module } from "./modules.js";
import { sum, zeros } from "./tensors.js";

/** @import { TransformerConfig } from "./config.js" */
/** @import { Tensor } from "./tensors.js" */
/** @import { Text } from "./masks.js" */
/** @import { Read } from "./modules.js" */
/** @import { KeyValueCache } from "./attention.js" */

/** @type {Record<TransformerConfig["activation"], (x: number) => number>} */
const ACTIVATIONS = {
  relu: (x) => (x > 0 ? x : 0),
  gelu: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)),
  silu: (x) => x / (1 + Math.exp(-x)),
};

/**
 * The error function, to 1.2e-7.
 *
 * @param {number} x
 */
function erf(x) {
  const t = 1 / (1 + Math.abs(x) / 2);
  const series = [
    ...[1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587],
    ...[-0.82215223, 0.17087277],
  ].reduceRight((sum, factor) => sum * t + factor, 0);
  const rest = t * Math.exp(-x * x - 1.26551223 + t * series);
  return x >= 0 ? 1 - rest : rest - 1;
}

/**
 * Adds to each token's vector where it stands: the sine and cosine of its position at d_model / 2
 * wavelengths from 2π to 10000 · 2π. Source: Vaswani et al. 2017, section 3.5.
 *
 * @extends {Module<[Tensor, number]>}
 */
export class PositionalEncoding extends Module {
  /** @type {Float64Array[]} */
  encoding = [];

  /**
   * @param {number} maxLength
   * @param {number} dModel
   * @param {TransformerConfig["positions"]} positions  "interleaved", sin cos sin cos …;
   *   "concatenated", all sines, then all cosines
   */
  constructor(maxLength, dModel, positions) {
    super();
    this.maxLength = maxLength;
    this.dModel = dModel;
    this.positions = positions;
  }

  /**
   * @param {Tensor} x  [length, d_model]; its first token stands at position `start`
   * @param {number} start
   */
  forward(x, start) {
    const [length, size] = x.shape;
    if (start + length > this.maxLength) {
      throw new RangeError(`${start + length} tokens are more than ${this.maxLength}`);
    }
    const placed = zeros(length, size);
    for (let row = 0; row < length; row++) {
      this.encoding[start + row] ??= this.sinusoid(start + row);
      const encoding = this.encoding[start + row];
      for (let i = 0, at = row * size; i < size; i++, at++) {
        placed.values[at] = x.values[at] + encoding[i];
      }
    }
    return placed;
  }

  /** @param {number} position */
  sinusoid(position) {
    const vector = sinusoid(position, this.dModel);
    if (this.positions === "interleaved") return vector;
    const [sines, cosines] = [0, 1].map((odd) => vector.filter((_, i) => i % 2 === odd));
    return Float64Array.of(...sines, ...cosines);
  }
}

/**
 * The position-wise network: each token's vector, widened, bent, and narrowed again.
 *
 * @extends {Module<[Tensor]>}
 */
export class FeedForward extends Module {
  /**
   * @param {Read} read
   * @param {string} name
   * @param {TransformerConfig} config
   */
  constructor(read, name, { d_model, d_ff, activation }) {
    super();
    this.inner = Linear.read(read, `${name}.inner`, d_model, d_ff);
    this.outer =
      activation === "relu"
        ? new LinearOfFew(read, `${name}.outer`, d_ff, d_model)
        : Linear.read(read, `${name}.outer`, d_ff, d_model);
    this.activation = ACTIVATIONS[activation];
  }

  /** @param {Tensor} x  [length, d_model] */
  forward(x) {
    const { activation } = this;
    const bent = this.inner.run(x);
    // In place: no one else has them.
    const { values } = bent;
    for (let i = 0; i < values.length; i++) values[i] = activation(values[i]);
    return this.outer.run(bent);
  }
}

/**
 * Wraps a sublayer: residual connection, and LayerNorm after it or before it.
 *
 * @extends {Module<[Tensor, (x: Tensor) => Tensor, HookPoint]>}
 */
export class Residual extends Module {
  /**
   * @param {Read} read
   * @param {string} name
   * @param {TransformerConfig} config
   */
  constructor(read, name, { d_model, norm_placement }) {
    super();
    this.norm = new LayerNorm(read, `${name}.norm`, d_model);
    this.preNorm = norm_placement === "pre";
  }

  /**
   * @param {Tensor} x  [length, d_model]
   * @param {(x: Tensor) => Tensor} sublayer
   * @param {HookPoint} after  sees the sum, before a post-norm
   */
  forward(x, sublayer, after) {
    if (this.preNorm) return after.run(sum(x, sublayer(this.norm.run(x))));
    return this.norm.run(after.run(sum(x, sublayer(x))));
  }
}

/** A layer's sublayers in order: their names, and where a layer has them, their connections and sums. */
export const SUBLAYERS = /** @type {const} */ ([
  ["self_attention", "selfAttention", "selfAttentionResidual", "afterSelfAttention"],
  ["cross_attention", "crossAttention", "crossAttentionResidual", "afterCrossAttention"],
  ["feed_forward", "feedForward", "feedForwardResidual", "afterFeedForward"],
]);

/** @typedef {{selfAttention: KeyValueCache, crossAttention: KeyValueCache}} LayerCache  of earlier steps */

/**
 * Texts whose rows are computed, if they are not one's that sees all: as self-attention takes them,
 * and as cross-attention does.
 *
 * @typedef {{own?: Text[] | null, cross?: Text[] | null}} Texts
 */

/**
 * Self-attention, then feed-forward; between them, in a decoder that has an encoder, cross-attention to
 * its memory.
 *
 * The hook points `afterSelfAttention`, `afterCrossAttention` and `afterFeedForward` see the sum of a
 * sublayer and its input, before a post-norm; `output` sees what the layer hands on: [length, d_model].
 *
 * @extends {Module<[Tensor, Texts?, (Tensor | null)?, (LayerCache | null)?]>}
 */
export class Layer extends Module {
  afterSelfAttention = new HookPoint();
  afterCrossAttention = new HookPoint();
  afterFeedForward = new HookPoint();
  output = new HookPoint();
  /** @type {MultiHeadAttention | null} */
  crossAttention = null;
  /** @type {Residual | null} */
  crossAttentionResidual = null;

  /**
   * @param {Read} read
   * @param {string} name
   * @param {TransformerConfig} c
   * @param {boolean} crosses
   */
  constructor(read, name, c, crosses) {
    super();
    const { d_model, num_heads } = c;
    this.selfAttention = new MultiHeadAttention(read, `${name}.self_attention`, d_model, num_heads);
    this.selfAttentionResidual = new Residual(read, `${name}.self_attention_residual`, c);
    if (crosses) {
      const cross = `${name}.cross_attention`;
      this.crossAttention = new MultiHeadAttention(read, cross, d_model, num_heads);
      this.crossAttentionResidual = new Residual(read, `${cross}_residual`, c);
    }
    this.feedForward = new FeedForward(read, `${name}.feed_forward`, c);
    this.feedForwardResidual = new Residual(read, `${name}.feed_forward_residual`, c);
  }

  /**
   * @param {Tensor} x  [length, d_model]
   * @param {Texts} [texts]  causal, in a decoder
   * @param {Tensor | null} [memory]  [src, d_model], the encoder's output, in a decoder that has one
   * @param {LayerCache | null} [cache]  what earlier steps computed; `x` then holds only the new tokens
   */
  forward(x, texts = {}, memory = null, cache = null) {
    return this.onwards(this.selfAttended(x, texts, cache), texts, memory, cache);
  }

  /**
   * The first sublayer.
   *
   * @param {Tensor} x  [length, d_model]
   * @param {Texts} texts
   * @param {LayerCache | null} [cache]
   */
  selfAttended(x, { own }, cache = null) {
    return this.selfAttentionResidual.run(
      x,
      (x) => this.selfAttention.run(x, null, own, cache?.selfAttention),
      this.afterSelfAttention,
    );
  }

  /**
   * All others.
   *
   * @param {Tensor} y  [length, d_model]
   * @param {Texts} texts
   * @param {Tensor | null} memory
   * @param {LayerCache | null} [cache]
   */
  onwards(y, { cross }, memory, cache = null) {
    const { crossAttention } = this;
    if (memory && crossAttention && this.crossAttentionResidual) {
      y = this.crossAttentionResidual.run(
        y,
        (x) => crossAttention.run(x, memory, cross, cache?.crossAttention),
        this.afterCrossAttention,
      );
    }
    return this.output.run(
      this.feedForwardResidual.run(y, (x) => this.feedForward.run(x), this.afterFeedForward),
    );
  }
}
