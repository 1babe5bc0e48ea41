/** How sure a model was of what it wrote. */

/**
 * A greedy translation whose tokens the model gave a smaller probability than this, in the geometric
 * mean, is far from what it has learnt. Measured on en-zh and zh-en: of 200 dev sentences each 2 %
 * are below it; of 150 sentences of licences and package descriptions 73 %, of 46 Chinese sentences
 * on deep learning 89 % (area under the ROC curve 0.97 and 0.98; pieces a word came to 0.81).
 */
const UNSURE = 0.2;

/**
 * @param {Pick<import("./trace.js").Trace, "candidates" | "tgt_ids">} trace
 * @returns {number}  the geometric mean of the probabilities of its tokens
 */
export function certainty({ candidates, tgt_ids }) {
  const logs = tgt_ids.map((id, step) => {
    const chosen = candidates[step].find((candidate) => candidate.id === id);
    return Math.log(chosen?.probability ?? 1);
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / Math.max(1, logs.length));
}

/**
 * Whether a model hardly knew what to write of its own accord: a poet goes on with what it likes, and
 * what was drawn, forced or intervened in tells nothing of the sentence.
 *
 * @param {import("./trace.js").Trace} trace
 */
export function isUnsure(trace) {
  const { weights, sampling, prefix_length, interventions = [] } = trace;
  if (!weights.cross || sampling || prefix_length || interventions.length) return false;
  return certainty(trace) < UNSURE;
}
