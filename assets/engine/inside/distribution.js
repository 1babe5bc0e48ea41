/** How likely each step's tokens would be, at every temperature (`transformer/inside/distribution.py`). */

import { replayed } from "../ask/passes.js";
import { withoutBanned } from "../decoding/decode.js";
import { ranked } from "../decoding/sampling.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";

const BEST = 50;
const TEMPERATURES = Array.from({ length: 39 }, (_, i) => (10 + 5 * i) / 100);

/**
 * The fifty best logits of every step, and at each temperature the logarithm of the sum over the whole
 * vocabulary.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed
 */
export async function distribution(translator, trace) {
  const { config, model, tgtTokenizer } = translator;
  const recording = await replayed(translator, trace, ["output"]);
  const [state] = recording.at("decoder", "output").slice(-1);
  const all = withoutBanned(model.decoder.output.run(model.decoder.norm.run(state)), config);
  const steps = trace.tgt_ids.map((_, step) => rowOf(all, step));
  const most = Math.min(BEST, steps[0].length);
  const logits = zeros(steps.length, most);
  const log_sum = zeros(steps.length, TEMPERATURES.length);
  const ids = steps.map((row) => ranked(row, most));
  for (const [step, row] of steps.entries()) {
    await translator.rest();
    const best = row[ids[step][0]];
    for (const [i, id] of ids[step].entries()) rowOf(logits, step)[i] = row[id];
    for (const [i, temperature] of TEMPERATURES.entries()) {
      let sum = 0;
      for (let id = 0; id < row.length; id++) sum += Math.exp((row[id] - best) / temperature);
      rowOf(log_sum, step)[i] = best / temperature + Math.log(sum);
    }
  }
  return {
    ids,
    tokens: ids.map((step) => tgtTokenizer.labels(step)),
    logits: pack(logits, "float32"),
    temperatures: TEMPERATURES,
    log_sum: pack(log_sum, "float32"),
  };
}
