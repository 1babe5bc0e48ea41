/**
 * Two candidates' logits apart: what the values of each word's tokens say for one of them
 * (`transformer/inside/contrast.py`).
 *
 * The difference of two log-probabilities is that of the two logits, since the softmax divides both by
 * the same sum; and that is linear in the decoder's last state y: (w_a − w_b)·y + b_a − b_b.
 */

import { dot, spread } from "../../trace/vectors.js";
import { enteringLayers, replayed } from "../ask/passes.js";
import { SUBLAYERS } from "../model/layers.js";
import { LayerNorm } from "../model/modules.js";
import { rowOf, zeros } from "../model/tensors.js";
import { attached } from "../recording/hooks.js";
import { transformedValues } from "./decomposition.js";
import { without } from "./value_zeroing.js";

/** @import { Tensor } from "../model/tensors.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */
/** @typedef {[number, number]} Pair  ids of two tokens: the first's logit − the second's */

/**
 * The change of a step's difference of logits with a word's values 0 in one layer's attention:
 * [layer, word], in cross-attention; of a decoder-only model, in self-attention.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number[][]} words  indices of each one's tokens
 * @param {number} step
 * @param {Pair} pair
 */
export function withoutValues(translator, trace, words, step, pair) {
  const { decoder } = translator.model;
  const toward = direction(decoder, pair);
  return translator.intervene(trace.interventions, async () => {
    const { memory, states, into } = await enteringLayers(translator, trace);
    // The biases are the same with the values and without them.
    const difference = (/** @type {Tensor} */ last) => dot(rowOf(last, step), toward);
    const whole = difference(states);
    const differences = zeros(decoder.layers.length, words.length);
    for (const [i, layer] of decoder.layers.entries()) {
      const entered = into(layer);
      for (const [word, tokens] of words.entries()) {
        await translator.rest();
        const last = await attached([[reading(layer).value, without(tokens)]], () =>
          decoder.from(i, entered, memory),
        );
        rowOf(differences, i)[word] = difference(last) - whole;
      }
    }
    return differences;
  });
}

/**
 * What each token's values add to a step's difference of logits, straight to the output: each
 * LayerNorm on the way is linear once its standard deviation is given. What later sublayers make of
 * them is left out (Elhage et al. 2021, direct paths).
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number} step
 * @param {Pair} pair
 * @returns {Promise<Tensor>}  [layer, token], added up over the heads of cross-attention; of a
 *   decoder-only model, of self-attention
 */
export async function direct(translator, trace, step, pair) {
  const back = SUBLAYERS.map(([, , connection, site]) => ({ connection, site })).reverse();
  const sites = back.map(({ site }) => site);
  const recording = await replayed(translator, trace, ["weights", "value", "output", ...sites]);
  const { decoder } = translator.model;
  const alone = translator.decoderOnly;
  const kind = alone ? "decoder_self" : "cross";
  let toward = direction(decoder, pair);
  if (decoder.norm instanceof LayerNorm) {
    const last = recording.at("decoder", "output")[decoder.layers.length - 1];
    toward = beforeNorm(decoder.norm, rowOf(last, step), toward);
  }
  const parts = zeros(decoder.layers.length, (alone ? trace.tgt_in : trace.src).length);
  for (let i = decoder.layers.length - 1; i >= 0; i--) {
    const layer = decoder.layers[i];
    for (const { connection, site } of back) {
      const residual = layer[connection];
      if (residual && !residual.preNorm) {
        const total = rowOf(recording.at("decoder", site)[i], step);
        toward = beforeNorm(residual.norm, total, toward);
      }
      if (site === (alone ? "afterSelfAttention" : "afterCrossAttention")) {
        const weights = recording.at(kind, "weights")[i];
        const moved = transformedValues(reading(layer), recording.at(kind, "value")[i]);
        rowOf(parts, i).set(added(weights, moved, step, toward));
      }
    }
  }
  return parts;
}

/**
 * The direction of the decoder's last state in which the difference of the two logits grows.
 *
 * @param {import("../model/towers.js").Decoder} decoder
 * @param {Pair} pair
 */
function direction({ output: { weight, inputs } }, [emitted, other]) {
  const row = (/** @type {number} */ id) => weight.subarray(id * inputs, (id + 1) * inputs);
  return row(emitted).map((x, i) => x - row(other)[i]);
}

/**
 * What one block's tokens add along a direction.
 *
 * @param {Tensor} weights  [head, query, key]
 * @param {Tensor} moved  [head, key, d_model]
 * @param {number} step
 * @param {Float32Array} toward
 */
function added({ shape: [heads, queries, keys], values }, moved, step, toward) {
  const sums = new Float64Array(keys);
  for (let head = 0; head < heads; head++) {
    for (let key = 0; key < keys; key++) {
      const along = dot(rowOf(moved, head * keys + key), toward);
      sums[key] += values[(head * queries + step) * keys + key] * along;
    }
  }
  return sums;
}

/**
 * The direction in front of a LayerNorm that is this one behind it, its deviation given.
 *
 * @param {LayerNorm} norm
 * @param {Float32Array} total
 * @param {Float32Array} toward
 */
function beforeNorm(norm, total, toward) {
  const scaled = toward.map((x, i) => x * norm.weight[i]);
  const { deviation } = spread(total, norm.eps);
  const mean = scaled.reduce((sum, x) => sum + x, 0) / scaled.length;
  return scaled.map((x) => (x - mean) / deviation);
}

/**
 * The attention that reads the source; of a decoder-only model, its own text.
 *
 * @param {import("../model/layers.js").Layer} layer
 */
function reading({ crossAttention, selfAttention }) {
  return crossAttention ?? selfAttention;
}
