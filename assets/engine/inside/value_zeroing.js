/**
 * Which tokens a layer's output rests on: each token's values made zero in turn
 * (`transformer/inside/value_zeroing.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { cosine } from "../../trace/vectors.js";
import { enteringLayers } from "../ask/passes.js";
import { selfTexts } from "../model/masks.js";
import { clone, rowOf, stack, zeros } from "../model/tensors.js";
import { attached } from "../recording/hooks.js";
import { pack } from "../recording/packing.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { MultiHeadAttention } from "../model/attention.js" */

/** Rounding alone turns an output by 1e-14. */
const ROUNDING = 1e-12;

/**
 * How far each layer's output turns when a token's values are 0 in that layer's attention: shares
 * [layer, query, key] of each kind.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 */
export async function value_zeroing(translator, trace) {
  const { encoder, decoder } = translator.model;
  const [numSrc, numTgt] = [trace.src.length, trace.tgt_in.length];
  /** @type {Record<Kind, Tensor[]>} */
  const byKind = { encoder_self: [], decoder_self: [], cross: [] };

  /** @type {(kind: Kind, attention: MultiHeadAttention, keys: number, run: () => Tensor) => Promise<void>} */
  async function zeroed(kind, attention, keys, run) {
    const output = run(); // of the layer
    const distances = zeros(output.shape[0], keys);
    for (let key = 0; key < keys; key++) {
      await translator.rest();
      const turned = await attached([[attention.value, without([key])]], run);
      for (let row = 0; row < output.shape[0]; row++) {
        rowOf(distances, row)[key] = distance(rowOf(turned, row), rowOf(output, row));
      }
    }
    byKind[kind].push(shares(distances));
  }

  await translator.intervene(trace.interventions, async () => {
    const { memory, into } = await enteringLayers(translator, trace);
    for (const layer of encoder?.layers ?? []) {
      const run = () => layer.run(into(layer));
      await zeroed("encoder_self", layer.selfAttention, numSrc, run);
    }
    const own = selfTexts([numTgt], true);
    for (const layer of decoder.layers) {
      const run = () => layer.run(into(layer), { own }, memory);
      await zeroed("decoder_self", layer.selfAttention, numTgt, run);
      if (layer.crossAttention) await zeroed("cross", layer.crossAttention, numSrc, run);
    }
  });
  const [encoder_self, decoder_self, cross] = KINDS.map((kind) =>
    byKind[kind].length ? pack(stack(byKind[kind]), "float16") : null,
  );
  return { encoder_self, decoder_self, cross };
}

/**
 * Finds the values of some tokens to be 0.
 *
 * @param {number[]} tokens
 * @returns {import("../model/modules.js").Hook}
 */
export function without(tokens) {
  return (values) => {
    const changed = clone(values);
    for (const token of tokens) rowOf(changed, token).fill(0);
    return changed;
  };
}

/**
 * 1 − the cosine of the angle between two vectors.
 *
 * @param {Float32Array} one
 * @param {Float32Array} other
 */
function distance(one, other) {
  const turned = 1 - cosine(one, other);
  return turned < ROUNDING ? 0 : turned;
}

/**
 * Each row divided by its sum. A row that nothing turns rests on no token more than on another.
 *
 * @param {Tensor} distances  [query, key]
 */
function shares(distances) {
  const [rows, keys] = distances.shape;
  for (let row = 0; row < rows; row++) {
    const own = rowOf(distances, row);
    const sum = own.reduce((sum, x) => sum + x, 0);
    for (let key = 0; key < keys; key++) own[key] = sum > 0 ? own[key] / sum : 1 / keys;
  }
  return distances;
}
