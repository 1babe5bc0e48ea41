/**
 * Which heads matter: each switched off in turn, and what that does to the shown translation
 * (`transformer/inside/sweep.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { enteringLayers, inBatches, logProbabilities } from "../ask/passes.js";
import { below, clone, zeros } from "../model/tensors.js";
import { textsOf } from "../model/towers.js";
import { attached } from "../recording/hooks.js";
import { nested } from "../recording/packing.js";
import { blocksOf, numLayers } from "../recording/places.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * Δ log p, nats, of the trace's translation with each head's weights 0.
 *
 * @param {Translator} translator
 * @param {Trace} trace  whatever was changed in it stays changed
 * @param {{kinds: Kind[]}} options  whose heads; those of others are null
 */
export async function sweep(translator, trace, { kinds }) {
  const { config, model } = translator;
  const { encoder, decoder } = model;
  const [numSrc, numTgt] = [trace.src.length, trace.tgt_in.length];
  return translator.intervene(trace.interventions, async () => {
    const { memory, states, into } = await enteringLayers(translator, trace);
    /** @type {(last: Tensor) => number[]}  of the translation by each of several copies of the model */
    const scores = (last) => {
      const logs = logProbabilities(
        translator,
        last,
        Array.from({ length: last.shape[0] }, (_, row) => [trace.tgt_ids[row % numTgt]]),
      );
      const starts = [...logs.keys()].filter((row) => row % numTgt === 0);
      return starts.map((row) =>
        logs.slice(row, row + numTgt).reduce((sum, [log]) => sum + log, 0),
      );
    };
    /** @type {(kind: Kind, layer: number, copies: number) => Tensor}  the decoder's last states, computed from there on */
    const from = (kind, layer, copies) => {
      const many = (/** @type {object | null} */ module) => below(Array(copies).fill(into(module)));
      const [sources, targets] = [numSrc, numTgt].map((length) => Array(copies).fill(length));
      const crossing = (/** @type {number} */ layer) =>
        many(decoder.layers[layer].crossAttentionResidual);
      if (kind === "encoder_self") {
        const other = encoder?.from(layer, many(encoder.layers[layer]), sources) ?? null;
        return decoder.crossing(0, crossing(0), other, textsOf(targets, sources));
      }
      const texts = textsOf(targets, [numSrc]);
      return kind === "cross"
        ? decoder.crossing(layer, crossing(layer), memory, texts)
        : decoder.from(layer, many(decoder.layers[layer]), memory, null, texts);
    };
    const [base] = scores(states);
    const heads = Array.from({ length: config.num_heads }, (_, head) => head);
    /** @type {Partial<Record<Kind, any>>} */
    const deltas = {};
    for (const kind of KINDS) {
      const layers = kinds.includes(kind) ? numLayers(config, kind) : 0;
      const of = zeros(layers, config.num_heads);
      for (const [layer, { attention }] of blocksOf(model, kind).slice(0, layers).entries()) {
        for (const batch of inBatches(trace, heads)) {
          await translator.rest();
          const run = () => scores(from(kind, layer, batch.length));
          const left = await attached([[attention.weights, without(batch)]], run);
          of.values.set(
            left.map((score) => score - base),
            layer * config.num_heads + batch[0],
          );
        }
      }
      deltas[kind] = layers ? nested(of) : null;
    }
    const { model: name, source, translation } = trace;
    const { encoder_self, decoder_self, cross } = deltas;
    return {
      ...{ model: name, source, translation, log_probability: base },
      ...{ encoder_self, decoder_self, cross, unit: "nats" },
    };
  });
}

/**
 * Finds one head's weights to be 0 in each of several texts.
 *
 * @param {number[]} heads  the first text's, the second's, …
 * @returns {import("../model/modules.js").Hook}
 */
function without(heads) {
  return (weights, [, text]) => {
    const changed = clone(weights);
    const [, queries, keys] = weights.shape;
    const size = queries * keys;
    changed.values.fill(0, heads[text] * size, (heads[text] + 1) * size);
    return changed;
  };
}
