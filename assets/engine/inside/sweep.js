/**
 * Which heads matter: each switched off in turn, and what that does to the shown translation
 * (`transformer/inside/sweep.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { enteringLayers, logProbabilities } from "../ask/passes.js";
import { withoutBanned } from "../decoding/decode.js";
import { clone, zeros } from "../model/tensors.js";
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
  return translator.intervene(trace.interventions, async () => {
    const { memory, states, into } = await enteringLayers(translator, trace);
    const score = (/** @type {Tensor} */ last) => {
      const logits = withoutBanned(decoder.output.run(last), config);
      return logProbabilities(logits, trace.tgt_ids).reduce((sum, log) => sum + log, 0);
    };
    /** @type {(kind: Kind, layer: number) => Tensor}  the decoder's last states, computed from there on */
    const from = (kind, layer) => {
      if (kind !== "encoder_self") return decoder.from(layer, into(decoder.layers[layer]), memory);
      const other = encoder?.from(layer, into(encoder.layers[layer])) ?? null;
      return decoder.from(0, into(decoder.layers[0]), other);
    };
    const base = score(states);
    /** @type {Partial<Record<Kind, any>>} */
    const deltas = {};
    for (const kind of KINDS) {
      const layers = kinds.includes(kind) ? numLayers(config, kind) : 0;
      const of = zeros(layers, config.num_heads);
      for (const [layer, { attention }] of blocksOf(model, kind).slice(0, layers).entries()) {
        for (let head = 0; head < config.num_heads; head++) {
          await translator.rest();
          const run = () => score(from(kind, layer));
          const left = await attached([[attention.weights, without(head)]], run);
          of.values[layer * config.num_heads + head] = left - base;
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

/** @type {(head: number) => import("../model/modules.js").Hook} */
function without(head) {
  return (weights) => {
    const changed = clone(weights);
    const [, queries, keys] = weights.shape;
    changed.values.fill(0, head * queries * keys, (head + 1) * queries * keys);
    return changed;
  };
}
