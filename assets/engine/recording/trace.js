/**
 * Everything one decode computed, as the record that all analyses read, and as the page gets it
 * (`transformer/trace/trace.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { pack } from "./packing.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { TracePayload } from "../../trace/trace.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { Intervention } from "../../trace/interventions.js" */

/**
 * What the page gets, with changes that have been read, and weights [layer, head, query, key] of each
 * kind there is. Row t of the decoder reads `tgt_in[t]` and emits `tgt_out[t]`.
 *
 * @typedef {Required<Omit<TracePayload, Kind | "interventions">> & {
 *   interventions: Intervention[],
 *   weights: Partial<Record<Kind, Tensor>>,
 * }} Trace
 */

/**
 * A trace as JSON values, schema "headlight-trace": docs/trace-format.md.
 *
 * @param {Trace} trace
 * @param {"float16" | "float32"} dtype
 * @returns {TracePayload & {schema: string, version: number}}
 */
export function payloadOf({ weights, interventions, ...fields }, dtype) {
  const [encoder_self, decoder_self, cross] = KINDS.map((kind) => {
    const own = weights[kind];
    return own ? pack(own, dtype) : null;
  });
  return {
    ...{ schema: "headlight-trace", version: 1, ...fields },
    interventions: interventions.map(({ text }) => text),
    ...{ encoder_self, decoder_self, cross },
  };
}
