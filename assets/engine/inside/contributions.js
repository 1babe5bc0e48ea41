/**
 * How much of each emitted token came from each source token, and how much from what was written:
 * ALTI+ (`transformer/inside/contributions.py`; Ferrando et al. 2022).
 */

import { identity, times } from "../../trace/rollout.js";
import { spread } from "../../trace/vectors.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";
import { attentionBlocks, transformedValues } from "./decomposition.js";

/** @import { Block } from "./decomposition.js" */
/** @import { Shares } from "../../trace/rollout.js" */

/**
 * What each decoder row's last state is made of, through all layers: shares of each token of the
 * source, and of each token that the decoder has read.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 */
export async function contributions(translator, trace) {
  const blocks = await attentionBlocks(translator, trace);
  const [numSrc, numTgt] = [trace.src.length, trace.tgt_in.length];
  let encoder = identity(numSrc);
  for (const block of blocks.encoder_self) {
    await translator.rest();
    encoder = times(shares(block, false), encoder);
  }
  /** @type {Shares} */
  let source = Array.from({ length: numTgt }, () => new Float64Array(numSrc));
  let prefix = identity(numTgt);
  for (const [layer, block] of blocks.decoder_self.entries()) {
    await translator.rest();
    const own = shares(block, false);
    [source, prefix] = [times(own, source), times(own, prefix)];
    if (!blocks.cross.length) continue;
    const cross = shares(blocks.cross[layer], true);
    const memory = times(
      cross.map((row) => row.subarray(0, numSrc)),
      encoder,
    );
    const stream = cross.map((row) => row[numSrc]);
    source = source.map((row, i) => row.map((x, j) => memory[i][j] + stream[i] * x));
    prefix = prefix.map((row, i) => row.map((x) => stream[i] * x));
  }
  const packed = (/** @type {Shares} */ rows) => {
    const whole = zeros(rows.length, rows[0].length);
    for (const [i, row] of rows.entries()) rowOf(whole, i).set(row);
    return pack(whole, "float32");
  };
  const alone = numSrc === 0;
  return {
    ...{ src: trace.src, tgt_in: trace.tgt_in, tgt_out: trace.tgt_out },
    source: alone ? null : packed(source),
    prefix: packed(prefix),
    encoder: alone ? null : packed(encoder),
  };
}

/**
 * How much each part makes of a block's output: a part's share is what the output's length (L1) loses
 * without it, if anything, ‖y‖ − ‖y − part‖.
 *
 * @param {Block} block
 * @param {boolean} apart  whether the residual stream is a part of its own, the last; else it is the
 *   query's own token's
 * @returns {Shares}  [query, key], or [query, key + 1]
 */
function shares({ attention, residual, weights, value, total }, apart) {
  const [heads, queries, keys] = weights.shape;
  const size = total.shape[1];
  const moved = transformedValues(attention, value);
  const output = residual.preNorm ? total : residual.norm.forward(total);
  const bias = attention.output.bias ?? new Float32Array(size);
  return Array.from({ length: queries }, (_, query) => {
    const parts = Array.from({ length: keys + 1 }, () => new Float64Array(size));
    const stream = parts[keys];
    for (let i = 0; i < size; i++) stream[i] = rowOf(total, query)[i] - bias[i];
    for (let key = 0; key < keys; key++) {
      const part = parts[key];
      for (let head = 0; head < heads; head++) {
        const weight = weights.values[(head * queries + query) * keys + key];
        const at = (head * keys + key) * size;
        if (weight !== 0) for (let i = 0; i < size; i++) part[i] += weight * moved.values[at + i];
      }
      for (let i = 0; i < size; i++) stream[i] -= part[i];
    }
    if (!apart) {
      for (let i = 0; i < size; i++) parts[query][i] += stream[i];
      parts.pop();
    }
    if (!residual.preNorm) {
      const { deviation } = spread(rowOf(total, query), residual.norm.eps);
      for (const part of parts) throughNorm(part, deviation, residual.norm.weight);
    }
    return gained(rowOf(output, query), parts);
  });
}

/**
 * What is left of a part of the sum behind a post-norm: LayerNorm is linear once the sum's standard
 * deviation is given.
 *
 * @param {Float64Array} part  changed
 * @param {number} deviation
 * @param {Float32Array} weight
 */
function throughNorm(part, deviation, weight) {
  const mean = part.reduce((sum, x) => sum + x, 0) / part.length;
  for (let i = 0; i < part.length; i++) part[i] = ((part[i] - mean) / deviation) * weight[i];
}

/** @type {(output: Float32Array, parts: Float64Array[]) => Float64Array} */
function gained(output, parts) {
  const length = output.reduce((sum, x) => sum + Math.abs(x), 0);
  const own = Float64Array.from(parts, (part) => {
    const left = part.reduce((sum, x, i) => sum + Math.abs(output[i] - x), 0);
    return Math.max(0, length - left);
  });
  const sum = own.reduce((sum, x) => sum + x, 0);
  // Where no part brings the output nearer, none has a greater share than another.
  return own.map((x) => (sum > 0 ? x / sum : 1 / own.length));
}
