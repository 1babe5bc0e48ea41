/** The candidates of a text that was decoded before, in one more pass over all of it. */

import { candidatesOf } from "../decoding/candidates.js";
import { withoutBanned } from "../decoding/decode.js";
import { rowOf } from "../model/tensors.js";

/** @typedef {import("../decoding/decode.js").Hypothesis} Hypothesis */

const TOP_K = 10;

/**
 * @param {Hypothesis} hypothesis
 * @param {import("../model/tensors.js").Tensor} logits  [tgt, vocabulary]
 * @param {import("../model/config.js").TransformerConfig} config
 * @param {import("../../trace/trace.js").Sampling | null} sampling
 * @returns {Hypothesis}
 */
export function candidatesOfPass(hypothesis, logits, config, sampling) {
  withoutBanned(logits, config);
  return {
    ...hypothesis,
    candidates: hypothesis.ids.map((id, step) =>
      candidatesOf(rowOf(logits, step), id, TOP_K, sampling),
    ),
  };
}
