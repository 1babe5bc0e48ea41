/** What a change does to a translation that was made before it (`transformer/inside/effect.py`). */

import { decoderLogits } from "../ask/passes.js";
import { logSum } from "../model/product.js";
import { rowOf } from "../model/tensors.js";
import { readInterventions } from "../recording/interventions.js";
import { nested } from "../recording/packing.js";

/** @import { Tensor } from "../model/tensors.js" */
/** @import { Intervention } from "../../trace/interventions.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * Scores a trace's tokens with a change and without it.
 *
 * @param {Translator} translator
 * @param {Trace} trace  whatever was changed in it stays changed
 * @param {{interventions: string[]}} options
 */
export async function effect(translator, trace, { interventions }) {
  const changes = readInterventions(interventions);
  const before = await logitsWith(translator, trace, trace.interventions);
  await translator.rest();
  const after = await logitsWith(translator, trace, [...trace.interventions, ...changes]);
  /** @type {number[]} */
  const deltas = [];
  const divergence = trace.tgt_ids.map((id, step) => {
    const [p, q] = [rowOf(before, step), rowOf(after, step)];
    const [ofP, ofQ] = [logSum(p), logSum(q)];
    deltas.push(q[id] - ofQ - (p[id] - ofP));
    let sum = 0;
    for (let i = 0; i < p.length; i++) {
      const [one, other] = [p[i] - ofP, q[i] - ofQ];
      // A token that is never emitted has p = 0, and adds nothing.
      if (one > Number.NEGATIVE_INFINITY) sum += Math.exp(one) * (one - other);
    }
    return Math.max(0, sum);
  });
  return {
    interventions: changes.map(({ text }) => text),
    log_probability: nested({ shape: [deltas.length], values: deltas }),
    divergence: nested({ shape: [divergence.length], values: divergence }),
  };
}

/** @type {(translator: Translator, trace: Trace, changes: Intervention[]) => Promise<Tensor>} */
function logitsWith(translator, trace, changes) {
  return translator.intervene(changes, () =>
    decoderLogits(
      translator,
      translator.tgtIn(trace.tgt_ids),
      translator.model.encode(trace.src_ids),
    ),
  );
}
