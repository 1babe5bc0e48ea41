/** How long the parts of a layer take here, the longer the text (`transformer/inside/costs.py`). */

import { attentionScores, attentionWeights, gathered } from "../model/attention.js";
import { zeros } from "../model/tensors.js";

/** Tokens. */
const LENGTHS = [32, 64, 128, 256, 512];

/** The least of so many runs; PyTorch has time for more. */
const REPEATS = 3;

/** @type {WeakMap<object, object>} */
const measured = new WeakMap();

/**
 * Times the parts of a decoder layer by the length of the text, once for each model.
 *
 * @param {import("../translator.js").Translator} translator
 */
export async function costs(translator) {
  const { config, model, rest } = translator;
  const earlier = measured.get(translator);
  if (earlier) return earlier;
  const { selfAttention, feedForward, feedForwardResidual } = model.decoder.layers[0];
  /** @type {Record<string, number[]>} */
  const seconds = {};
  for (const length of LENGTHS) {
    const x = zeros(length, config.d_model);
    for (let i = 0; i < x.values.length; i++) x.values[i] = Math.random() - 0.5;
    /** @type {Record<string, () => unknown>} */
    const parts = {
      attention: () => gathered(attentionWeights(attentionScores(x, x, config.num_heads), null), x),
      projections: () => [selfAttention.queryKeyValue.run(x), selfAttention.output.run(x)],
      feed_forward: () => feedForward.run(x),
      norm: () => feedForwardResidual.norm.run(x),
    };
    for (const [name, run] of Object.entries(parts)) {
      seconds[name] = [...(seconds[name] ?? []), least(run)];
      await rest();
    }
  }
  const { d_model, d_ff, num_heads } = config;
  const answer = { lengths: LENGTHS, d_model, d_ff, num_heads, threads: 1, seconds };
  measured.set(translator, answer);
  return answer;
}

/**
 * @param {() => unknown} run
 * @returns {number}  seconds
 */
function least(run) {
  run(); // the first is slower: nothing has been compiled
  const times = Array.from({ length: REPEATS }, () => {
    const start = performance.now();
    run();
    return (performance.now() - start) / 1000;
  });
  return Math.min(...times);
}
