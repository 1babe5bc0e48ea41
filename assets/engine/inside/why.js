/**
 * Why this word and not that one: what each word of the source says for one against the other
 * (`transformer/inside/why.py`).
 */

import { HeadlightError } from "../errors.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";
import { direct, withoutValues } from "./contrast.js";
import { leaveOut } from "./leave_one_out.js";

/**
 * Leaves each word out and looks at the difference of two candidates' log-probabilities: by
 * `readings`, the rows of `deltas` [reading, word], nats.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 * @param {{step: number, token: number}} options  the candidate that was not chosen
 * @throws {HeadlightError} there is no such step or token, or the model never emits it
 */
export async function why(translator, trace, { step, token }) {
  if (step >= trace.tgt_ids.length) throw new HeadlightError("bad_step");
  if (translator.config.banned_ids.includes(token)) throw new HeadlightError("bad_prefix");
  const instead = trace.tgt_ids.map((id, i) => (i === step ? token : id));
  const left = await leaveOut(translator, trace, [trace.tgt_ids, instead], [step]);
  const { words, pieces } = left;
  const [chosen, other] = left.deltas.map((deltas) => rowOf(deltas, 0));
  /** @type {[number, number]} */
  const pair = [trace.tgt_ids[step], token];
  const zeroed = await withoutValues(translator, trace, pieces, step, pair);
  const straight = await direct(translator, trace, step, pair);
  const layers = zeroed.shape[0];
  const deltas = zeros(layers + 2, words.length);
  for (const [word, tokens] of pieces.entries()) {
    const unread = Number.isNaN(chosen[word]); // by a decoder-only model
    rowOf(deltas, 0)[word] = chosen[word] - other[word];
    let brought = 0;
    for (let layer = 0; layer < layers; layer++) {
      rowOf(deltas, layer + 1)[word] = unread ? Number.NaN : rowOf(zeroed, layer)[word];
      for (const i of tokens) brought -= rowOf(straight, layer)[i];
    }
    rowOf(deltas, layers + 1)[word] = unread ? Number.NaN : brought;
  }
  return {
    emitted: trace.tgt_out[step],
    other: translator.tgtTokenizer.label(token),
    words,
    readings: [
      { name: "leave_one_out", layer: null },
      ...Array.from({ length: layers }, (_, layer) => ({ name: "value_zeroing", layer })),
      { name: "direct", layer: null },
    ],
    deltas: pack(deltas, "float32"),
  };
}
