/**
 * Scaled dot-product attention and multi-head attention, as in Vaswani et al. 2017, section 3.2
 * (`transformer/model/attention.py`).
 *
 * Queries, keys and values lie as the projections leave them: [length, d_model], the heads side by
 * side, head h in columns h · d_head to (h + 1) · d_head.
 */

import { kernelOf } from "./kernel.js";
import { HookPoint, Linear, Module } from "./modules.js";
import { dot } from "./product.js";
import { rowsFrom, zeros } from "./tensors.js";

/** @import { Kernel } from "./kernel.js" */
/** @import { Tensor } from "./tensors.js" */
/** @import { Mask, Text } from "./masks.js" */
/** @import { Read } from "./modules.js" */

/**
 * How well each query matches each key: q·k / √d_head.
 *
 * @param {Tensor} query  [query, d_model]
 * @param {Tensor} key  [key, d_model]
 * @param {number} numHeads
 * @param {Kernel | null} [kernel]  computes the same, faster
 * @returns {Tensor}  [head, query, key], before masking and softmax
 */
export function attentionScores(query, key, numHeads, kernel = null) {
  const [queries, dModel] = query.shape;
  const [keys] = key.shape;
  const dHead = dModel / numHeads;
  const scale = dHead ** -0.5;
  const scores = zeros(numHeads, queries, keys);
  if (kernel?.hasRoom(queries, keys, dModel, numHeads)) {
    kernel.scores(query, key, numHeads, scores);
    return scores;
  }
  let at = 0;
  for (let head = 0; head < numHeads; head++) {
    for (let q = 0; q < queries; q++) {
      const from = q * dModel + head * dHead;
      for (let k = 0; k < keys; k++) {
        const match = dot(query.values, from, key.values, k * dModel + head * dHead, dHead);
        scores.values[at++] = match * scale;
      }
    }
  }
  return scores;
}

/**
 * How much each query attends to each key: the softmax over the keys that the mask allows.
 *
 * @param {Tensor} scores  [head, query, key]
 * @param {Mask | null} mask  null allows everything; a row that allows nothing gives NaN
 * @returns {Tensor}  [head, query, key], each row sums to 1, exactly 0 where masked
 */
export function attentionWeights(scores, mask) {
  const [heads, queries, keys] = scores.shape;
  const weights = zeros(heads, queries, keys);
  const [from, into] = [scores.values, weights.values];
  for (let row = 0; row < heads * queries; row++) {
    const [at, of] = [row * keys, (row % queries) * keys];
    let largest = -Infinity;
    for (let k = 0; k < keys; k++) {
      if (!mask || mask[of + k]) largest = Math.max(largest, from[at + k]);
    }
    let sum = 0;
    for (let k = 0; k < keys; k++) {
      if (mask && !mask[of + k]) continue;
      const exp = Math.exp(from[at + k] - largest);
      into[at + k] = exp;
      sum += exp;
    }
    for (let k = 0; k < keys; k++) into[at + k] /= sum;
  }
  return weights;
}

/**
 * What each query gathers: the mean of the values, weighted, head by head.
 *
 * @param {Tensor} weights  [head, query, key]
 * @param {Tensor} value  [key, d_model]
 * @param {Kernel | null} [kernel]  computes the same, faster
 * @returns {Tensor}  [query, d_model]
 */
export function gathered(weights, value, kernel = null) {
  const [heads, queries, keys] = weights.shape;
  const dModel = value.shape[1];
  const dHead = dModel / heads;
  const mean = zeros(queries, dModel);
  if (kernel?.hasRoom(queries, keys, dModel, heads)) {
    kernel.gather(weights, value, mean);
    return mean;
  }
  const sums = new Float64Array(dHead);
  for (let head = 0; head < heads; head++) {
    for (let q = 0; q < queries; q++) {
      const at = (head * queries + q) * keys;
      sums.fill(0);
      for (let k = 0; k < keys; k++) {
        const weight = weights.values[at + k];
        const from = k * dModel + head * dHead;
        if (weight !== 0)
          for (let i = 0; i < dHead; i++) sums[i] += weight * value.values[from + i];
      }
      mean.values.set(sums, q * dModel + head * dHead);
    }
  }
  return mean;
}

/** The keys and values that one attention module has computed in earlier decoding steps. */
export class KeyValueCache {
  length = 0;

  /**
   * @param {number} capacity  positions; memory for them is taken once
   * @param {number} size  d_model
   */
  constructor(capacity, size) {
    this.buffers = [zeros(capacity, size), zeros(capacity, size)];
  }

  /**
   * Adds the newest positions, [new, d_model] each.
   *
   * @param {Tensor[]} keyAndValue
   */
  append(keyAndValue) {
    const [added, size] = keyAndValue[0].shape;
    for (const [i, { values }] of keyAndValue.entries()) {
      this.buffers[i].values.set(values, this.length * size);
    }
    this.length += added;
  }

  /** Keys and values so far, [length, d_model] each. */
  contents() {
    return this.buffers.map(({ shape: [, size], values }) => ({
      shape: [this.length, size],
      values: values.subarray(0, this.length * size),
    }));
  }
}

/**
 * Several heads attend side by side, each in its own d_head-dimensional projections. The query, key
 * and value projections are one matrix [3 · d_model, d_model], in this order.
 *
 * The hook points `query`, `key`, `value` and `attended` (the weighted mean of the values, before the
 * output projection) see [length, d_model]; `scores` (before masking) and `weights` (after the
 * softmax) see [head, query, key], text after text, and which text it is.
 *
 * @extends {Module<[Tensor, (Tensor | null)?, (Text[] | null)?, (KeyValueCache | null)?]>}
 */
export class MultiHeadAttention extends Module {
  query = new HookPoint();
  key = new HookPoint();
  value = new HookPoint();
  /** @type {HookPoint<[Tensor, number]>} */
  scores = new HookPoint();
  /** @type {HookPoint<[Tensor, number]>} */
  weights = new HookPoint();
  attended = new HookPoint();

  /**
   * @param {Read} read
   * @param {string} name
   * @param {number} dModel
   * @param {number} numHeads
   */
  constructor(read, name, dModel, numHeads) {
    super();
    this.numHeads = numHeads;
    this.dHead = dModel / numHeads;
    this.queryKeyValue = Linear.read(read, `${name}.query_key_value`, dModel, 3 * dModel);
    this.output = Linear.read(read, `${name}.output`, dModel, dModel);
    this.kernel = kernelOf(this.output.weight);
  }

  /**
   * Lets each position of `x` gather what it needs from `memory`.
   *
   * @param {Tensor} x  [query, d_model], where the queries come from
   * @param {Tensor | null} [memory]  [key, d_model], where keys and values come from; without, `x`
   * @param {Text[] | null} [texts]  whose rows these are; without, of one, which sees all of them
   * @param {KeyValueCache | null} [cache]  of earlier steps. Self-attention appends to it;
   *   cross-attention, whose memory never changes, fills it once and then reads it
   */
  forward(x, memory = null, texts = null, cache = null) {
    const [query, key, value] = this.project(x, memory, cache);
    const asks = this.query.run(query);
    const [offers, brings] = [this.key.run(key), this.value.run(value)];
    const { kernel, numHeads } = this;
    const [rows, size] = asks.shape;
    const attended = zeros(rows, size);
    /** @type {Text[]} */
    const each = texts ?? [{ queries: [0, rows], keys: [0, offers.shape[0]], mask: null }];
    for (const [i, { queries, keys, mask }] of each.entries()) {
      const [asking, offered] = [rowsFrom(asks, queries), rowsFrom(offers, keys)];
      const scores = this.scores.run(attentionScores(asking, offered, numHeads, kernel), i);
      const weights = this.weights.run(attentionWeights(scores, mask), i);
      attended.values.set(
        gathered(weights, rowsFrom(brings, keys), kernel).values,
        queries[0] * size,
      );
    }
    return this.output.run(this.attended.run(attended));
  }

  /**
   * Queries of `x`, and the keys and values they meet.
   *
   * @type {(x: Tensor, memory: Tensor | null, cache: KeyValueCache | null) => Tensor[]}
   */
  project(x, memory, cache) {
    const dModel = x.shape[1];
    const query = this.queryKeyValue.part(x, 0, dModel);
    if (memory && cache?.length) return [query, ...cache.contents()];
    const keyAndValue = [1, 2].map((part) =>
      this.queryKeyValue.part(memory ?? x, part * dModel, (part + 1) * dModel),
    );
    cache?.append(keyAndValue);
    return [query, ...(cache?.contents() ?? keyAndValue)];
  }
}
