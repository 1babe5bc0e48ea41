/**
 * When the model knew: what each decoder layer would say, if it were the last
 * (`transformer/inside/lens.py`).
 */

import { replayed } from "../ask/passes.js";
import { withoutBanned } from "../decoding/decode.js";
import { largest } from "../decoding/sampling.js";
import { logSum } from "../model/product.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";

/**
 * The logit lens: every layer's state, read by the output projection.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 */
export async function lens(translator, trace) {
  const { config, model, tgtTokenizer } = translator;
  const recording = await replayed(translator, trace, ["output"]);
  const states = recording.at("decoder", "output");
  const { length } = trace.tgt_ids;
  const [probability, emitted] = [zeros(states.length, length), zeros(states.length, length)];
  /** @type {number[][]} */
  const ids = [];
  /** @type {number[][]} */
  const rank = [];
  for (const [layer, state] of states.entries()) {
    await translator.rest();
    const logits = withoutBanned(model.decoder.output.run(model.decoder.norm.run(state)), config);
    [ids[layer], rank[layer]] = [[], []];
    for (const [step, token] of trace.tgt_ids.entries()) {
      const row = rowOf(logits, step);
      const [best, sum] = [largest(row), logSum(row)];
      ids[layer].push(best);
      rowOf(probability, layer)[step] = Math.exp(row[best] - sum);
      rowOf(emitted, layer)[step] = Math.exp(row[token] - sum);
      rank[layer].push(1 + row.reduce((higher, x) => higher + Number(x > row[token]), 0));
    }
  }
  return {
    tgt_in: trace.tgt_in,
    tgt_out: trace.tgt_out,
    tokens: ids.map((layer) => tgtTokenizer.labels(layer)),
    ids,
    probability: pack(probability, "float32"),
    emitted: pack(emitted, "float32"),
    rank,
  };
}
