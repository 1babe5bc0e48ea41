/**
 * Everything one decode computed, as the record that all analyses read, and as the page gets it
 * (`transformer/recording/trace.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { pack } from "./packing.js";

/** @typedef {import("../../trace/kinds.js").Kind} Kind */
/** @typedef {import("../../trace/trace.js").TracePayload} TracePayload */
/** @typedef {import("../../trace/trace.js").Sampling} Sampling */
/** @typedef {import("../model/tensors.js").Tensor} Tensor */
/** @typedef {import("./interventions.js").Intervention} Intervention */
/** @typedef {{head: string, role: string, row: string | null, opening: import("../../trace/trace.js").Opening | null}} TellingHead */

/**
 * Row t of the decoder reads `tgtIn[t]` and emits `tgtOut[t]`.
 *
 * @typedef {object} Trace
 * @property {string} model
 * @property {string} source
 * @property {string} translation
 * @property {string[]} src  labels; empty for a decoder-only model
 * @property {string[]} tgtIn
 * @property {string[]} tgtOut
 * @property {number[]} srcIds
 * @property {number[]} tgtIds
 * @property {number} prefixLength
 * @property {import("../../trace/trace.js").Candidate[][]} candidates
 * @property {string} stopReason
 * @property {Intervention[]} interventions
 * @property {Sampling | null} sampling
 * @property {string} checkpoint
 * @property {Partial<Record<Kind, TellingHead>>} heads
 * @property {import("../checkpoint/lexicon.js").Glosses | null} glosses  null without a lexicon
 * @property {Partial<Record<Kind, Tensor>>} weights  [layer, head, query, key] of each kind there is
 */

/**
 * A trace as JSON values, schema "headlight-trace": docs/trace-format.md.
 *
 * @param {Trace} trace
 * @param {"float16" | "float32"} dtype
 * @returns {TracePayload & {schema: string, version: number}}
 */
export function payloadOf(trace, dtype) {
  const [encoder_self, decoder_self, cross] = KINDS.map((kind) => {
    const weights = trace.weights[kind];
    return weights ? pack(weights, dtype) : null;
  });
  return {
    schema: "headlight-trace",
    version: 1,
    model: trace.model,
    source: trace.source,
    translation: trace.translation,
    src: trace.src,
    tgt_in: trace.tgtIn,
    tgt_out: trace.tgtOut,
    src_ids: trace.srcIds,
    tgt_ids: trace.tgtIds,
    prefix_length: trace.prefixLength,
    candidates: trace.candidates,
    stop_reason: trace.stopReason,
    interventions: trace.interventions.map(({ text }) => text),
    sampling: trace.sampling,
    checkpoint: trace.checkpoint,
    heads: trace.heads,
    glosses: trace.glosses,
    ...{ encoder_self, decoder_self, cross },
  };
}
