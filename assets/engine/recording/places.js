/** Where in a model each kind of attention is (`transformer/trace/kinds.py`). */

import { isDecoderOnly } from "../model/config.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Model } from "../model/towers.js" */
/** @import { MultiHeadAttention } from "../model/attention.js" */

/**
 * An attention module, the connection around it, and the point that sees their sum.
 *
 * @typedef {object} AttentionBlock
 * @property {MultiHeadAttention} attention
 * @property {import("../model/layers.js").Residual} residual
 * @property {import("../model/modules.js").HookPoint} after
 */

/**
 * How many layers of this kind of attention a model has.
 *
 * @param {import("../model/config.js").TransformerConfig} config
 * @param {Kind} kind
 */
export function numLayers(config, kind) {
  if (kind !== "decoder_self" && isDecoderOnly(config)) return 0;
  return kind === "encoder_self" ? config.num_encoder_layers : config.num_decoder_layers;
}

/**
 * Layer by layer; none, if the model has no such attention.
 *
 * @type {(model: Model, kind: Kind) => AttentionBlock[]}
 */
export function blocksOf(model, kind) {
  const layers = kind === "encoder_self" ? (model.encoder?.layers ?? []) : model.decoder.layers;
  return layers.flatMap((layer) => {
    const [attention, residual, after] =
      kind === "cross"
        ? [layer.crossAttention, layer.crossAttentionResidual, layer.afterCrossAttention]
        : [layer.selfAttention, layer.selfAttentionResidual, layer.afterSelfAttention];
    return attention && residual ? [{ attention, residual, after }] : [];
  });
}
