/**
 * The blocks that a model is made of, in the order in which data flow through them
 * (`transformer/inside/anatomy.py`).
 */

import { FeedForward, SUBLAYERS } from "../model/layers.js";
import { LayerNorm } from "../model/modules.js";

/** @import { Decoder, Encoder, Model } from "../model/towers.js" */
/** @import { MultiHeadAttention } from "../model/attention.js" */
/** @import { Hooked } from "../recording/hooks.js" */

/**
 * Where a vector is read off: what comes out of a module (null), or one of its arguments.
 *
 * @typedef {[module: Hooked, argument: number | null]} Tap
 */

/**
 * One box of the picture of a model: where its vectors are read off, by name, and how many numbers
 * it has learnt; what is shared counts in each of its blocks.
 *
 * @typedef {{taps: Record<string, Tap>, parameters: number}} Block
 */

/**
 * What a model is made of.
 *
 * @param {import("../translator.js").Translator} translator
 */
export async function anatomy({ model, config }) {
  const byName = blocks(model);
  const parameters = Object.fromEntries(
    [...byName].map(([name, block]) => [name, block.parameters]),
  );
  const sum = Object.values(parameters).reduce((sum, count) => sum + count, 0);
  const shared = { none: 0, output: 1, all: 2 }[config.tied_embeddings];
  const total = sum - shared * config.tgt_vocab_size * config.d_model;
  return { config, parameters, total };
}

/**
 * Every block by its name, such as "encoder.embedding" or "decoder.L2.cross_attention.norm".
 *
 * @param {Model} model
 * @returns {Map<string, Block>}
 */
export function blocks({ encoder, decoder }) {
  /** @type {Map<string, Block>} */
  const byName = new Map();
  if (encoder) for (const [part, block] of tower(encoder)) byName.set(`encoder.${part}`, block);
  for (const [part, block] of tower(decoder)) byName.set(`decoder.${part}`, block);
  const { output } = decoder;
  byName.set(
    "decoder.output",
    block({ enters: [output, 0], leaves: [output, null] }, size(output)),
  );
  return byName;
}

/** @type {(tower: Encoder | Decoder) => Generator<[string, Block]>} */
function* tower({ embedding: { token, position }, layers, norm: last }) {
  const looked = token.weight.length;
  yield ["embedding", block({ looked_up: [token, null], leaves: [position, 0] }, looked)];
  yield ["position", block({ enters: [position, 0], leaves: [position, null] })];
  for (const [i, layer] of layers.entries()) {
    for (const [name, of, connection, after] of SUBLAYERS) {
      const [module, residual] = [layer[of], layer[connection]];
      if (module && residual) yield* sublayer(`L${i + 1}.${name}`, module, residual, layer[after]);
    }
  }
  if (last instanceof LayerNorm) yield ["norm", norm(last)];
}

/**
 * @param {string} name
 * @param {MultiHeadAttention | FeedForward} module
 * @param {import("../model/layers.js").Residual} residual
 * @param {Hooked} after
 * @returns {Generator<[string, Block]>}
 */
function* sublayer(name, module, residual, after) {
  /** @type {Record<string, Tap>} */
  const taps = { enters: [module, 0] };
  if (name.endsWith("cross_attention")) taps.memory = [module, 1];
  if (module instanceof FeedForward) taps.inner = [module.outer, 0];
  else taps.heads = [module.output, 0];
  taps.leaves = [module, null];
  const linears =
    module instanceof FeedForward
      ? [module.inner, module.outer]
      : [module.queryKeyValue, module.output];
  const learnt = linears.reduce((sum, linear) => sum + size(linear), 0);
  if (residual.preNorm) yield [`${name}.norm`, norm(residual.norm)];
  yield [name, block(taps, learnt)];
  yield [
    `${name}.add`,
    block({ enters: [residual, 0], added: [module, null], leaves: [after, null] }),
  ];
  if (!residual.preNorm) yield [`${name}.norm`, norm(residual.norm)];
}

/** @param {LayerNorm} norm */
function norm(norm) {
  return block({ enters: [norm, 0], leaves: [norm, null] }, norm.weight.length + norm.bias.length);
}

/** @param {import("../model/modules.js").Linear | import("../model/modules.js").LinearOfFew} linear */
function size({ weight, bias }) {
  return weight.length + (bias?.length ?? 0);
}

/** @type {(taps: Record<string, Tap>, parameters?: number) => Block} */
function block(taps, parameters = 0) {
  return { taps, parameters };
}
