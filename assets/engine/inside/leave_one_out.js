/**
 * Which words a translation rested on: each source word left out in turn
 * (`transformer/inside/leave_one_out.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { hasRead, logitsWithout, logProbabilities } from "../ask/passes.js";
import { checkPrefix } from "../decoding/prefixes.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";

/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * Deletes the pieces of each word in turn and scores the trace's tokens again.
 *
 * @param {Translator} translator
 * @param {Trace} trace  whatever was changed in it stays changed
 */
export async function leave_one_out(translator, trace) {
  const every = [...trace.tgt_ids.keys()];
  const { words, pieces, deltas } = await leaveOut(translator, trace, [trace.tgt_ids], every);
  const { tgt_in, tgt_out } = trace;
  return { words, pieces, tgt_in, tgt_out, deltas: pack(deltas[0], "float32") };
}

/**
 * What tokens lose when a word is not there: [step, word], nats, log p without the word − with it;
 * NaN where a decoder-only model had not read the word yet.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number[][]} scored  ids to score, in place of those that were emitted; what each step has
 *   read stays
 * @param {number[]} steps  of which this is wanted
 */
export async function leaveOut(translator, trace, scored, steps) {
  for (const token of scored.flat()) checkPrefix([token], translator.config);
  const { words, pieces } = wordsOf(translator.decoderOnly ? trace.tgt_in : trace.src);
  /** @type {(removed: number[], asked: number[]) => Promise<number[][]>} */
  const logsOf = async (removed, asked) => {
    const logits = await logitsWithout(translator, trace, removed, asked);
    return scored.map((ids) => {
      const wanted = asked.map((step) => ids[step]);
      return logProbabilities(logits, wanted);
    });
  };
  const whole = await logsOf([], steps);
  const deltas = scored.map(() => zeros(steps.length, words.length));
  for (const { values } of deltas) values.fill(Number.NaN);
  for (const [column, word] of pieces.entries()) {
    const asked = steps.filter((step) => hasRead(translator, word, step));
    if (!asked.length) continue;
    await translator.rest();
    const without = await logsOf(word, asked);
    for (const [i, of] of deltas.entries()) {
      for (const [k, step] of asked.entries()) {
        const row = steps.indexOf(step);
        rowOf(of, row)[column] = without[i][k] - whole[i][row];
      }
    }
  }
  return { words, pieces, deltas };
}
