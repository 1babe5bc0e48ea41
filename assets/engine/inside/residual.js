/**
 * How long the residual stream is after every sublayer: where it is written to, and how much
 * (`transformer/inside/residual.py`).
 */

import { lengthOf } from "../../trace/vectors.js";
import { replayed } from "../ask/passes.js";
import { SUBLAYERS } from "../model/layers.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";

/** @import { Tensor } from "../model/tensors.js" */

/**
 * Lengths (L2) of each token's vector, x + sublayer(x), before a post-norm's LayerNorm: [sublayer,
 * token] of each tower.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 */
export async function residual(translator, trace) {
  const sites = SUBLAYERS.map(([, , , site]) => site);
  const recording = await replayed(translator, trace, sites);
  /** @param {"encoder" | "decoder"} tower */
  const of = (tower) => {
    /** @type {string[]} */
    const names = [];
    /** @type {Tensor[]} */
    const states = [];
    for (let layer = 0; layer < recording.at(tower, "afterFeedForward").length; layer++) {
      for (const [name, , , site] of SUBLAYERS) {
        const state = recording.at(tower, site)[layer];
        if (!state) continue;
        names.push(`L${layer + 1} ${name.replace("_", "-")}`);
        states.push(state);
      }
    }
    return { names, lengths: states.length ? pack(lengthsOf(states), "float32") : null };
  };
  const [encoder, decoder] = [of("encoder"), of("decoder")];
  return {
    ...{ src: trace.src, tgt_in: trace.tgt_in, tgt_out: trace.tgt_out },
    encoder_sublayers: encoder.names,
    encoder: encoder.lengths,
    decoder_sublayers: decoder.names,
    decoder: decoder.lengths,
  };
}

/**
 * @param {Tensor[]} states  [token, d_model] each
 * @returns {Tensor}  [state, token]
 */
function lengthsOf(states) {
  const tokens = states[0].shape[0];
  const lengths = zeros(states.length, tokens);
  for (const [i, state] of states.entries()) {
    for (let token = 0; token < tokens; token++) {
      rowOf(lengths, i)[token] = lengthOf(rowOf(state, token));
    }
  }
  return lengths;
}
