/**
 * An attention block taken apart: what each token it attends to adds to the sum that it hands on
 * (`transformer/inside/decomposition.py`).
 *
 * With F[i, j] = Σ_h α^h_ij (W_O^h v^h_j), the block's sum is Σ_j F[i, j] + b_O + x_i: a part for every
 * token, the output's bias, and the residual stream x_i.
 */

import { KINDS } from "../../trace/kinds.js";
import { replayed } from "../ask/passes.js";
import { product } from "../model/product.js";
import { zeros } from "../model/tensors.js";
import { blocksOf } from "../recording/places.js";
import { columnsOf } from "./arithmetic.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { MultiHeadAttention } from "../model/attention.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * What each head would add to the residual stream if it attended to one token alone.
 *
 * @param {MultiHeadAttention} attention  the module whose values these are
 * @param {Tensor} value  [key, d_model], the heads side by side
 * @returns {Tensor}  W_O^h v^h_j, [head, key, d_model]
 */
export function transformedValues({ output, numHeads, dHead }, value) {
  const [keys, size] = value.shape;
  const moved = zeros(numHeads, keys, size);
  for (let head = 0; head < numHeads; head++) {
    const columns = columnsOf({ shape: [size, size], values: output.weight }, head, numHeads);
    const own = columnsOf(value, head, numHeads);
    const part = product(own.values, keys, dHead, columns.values, null, 0, size);
    moved.values.set(part, head * keys * size);
  }
  return moved;
}

/**
 * One attention block in one pass over a trace.
 *
 * @typedef {object} Block
 * @property {MultiHeadAttention} attention
 * @property {import("../model/layers.js").Residual} residual  the connection around it
 * @property {Tensor} weights  [head, query, key]
 * @property {Tensor} value  [key, d_model]
 * @property {Tensor} total  [query, d_model], the sum with the residual stream, before a post-norm
 */

const SITES = /** @type {const} */ ([
  ...["weights", "value", "afterSelfAttention", "afterCrossAttention"],
]);

/**
 * The attention blocks of each kind, layer by layer, in one pass over the trace's tokens.
 *
 * @type {(translator: Translator, trace: Trace) => Promise<Record<Kind, Block[]>>}
 */
export async function attentionBlocks(translator, trace) {
  const recording = await replayed(translator, trace, [...SITES]);
  const of = (/** @type {Kind} */ kind) => {
    const tower = kind === "encoder_self" ? "encoder" : "decoder";
    const after = kind === "cross" ? "afterCrossAttention" : "afterSelfAttention";
    return blocksOf(translator.model, kind).map(({ attention, residual }, layer) => ({
      ...{ attention, residual },
      weights: recording.at(kind, "weights")[layer],
      value: recording.at(kind, "value")[layer],
      total: recording.at(tower, after)[layer],
    }));
  };
  const [encoder_self, decoder_self, cross] = KINDS.map(of);
  return { encoder_self, decoder_self, cross };
}
