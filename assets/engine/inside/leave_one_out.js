/**
 * Which words a translation rested on: each source word left out in turn
 * (`transformer/inside/leave_one_out.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { checkPrefix } from "../decoding/prefixes.js";
import { rowOf, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";
import { asTraced, asTracedWithout, decoderLogits, logProbabilities, tgtOf } from "./passes.js";

/** @typedef {import("../model/tensors.js").Tensor} Tensor */
/** @typedef {import("../recording/trace.js").Trace} Trace */
/** @typedef {import("../translator.js").Translator} Translator */

/**
 * Deletes the pieces of each word in turn and scores the trace's tokens again.
 *
 * @param {Translator} translator
 * @param {Trace} trace  whatever was changed in it stays changed
 */
export async function leave_one_out(translator, trace) {
  const every = [...trace.tgtIds.keys()];
  const { words, pieces, deltas } = await leaveOut(translator, trace, [trace.tgtIds], every);
  const { tgtIn: tgt_in, tgtOut: tgt_out } = trace;
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
  const { decoderOnly } = translator;
  const { words, pieces } = wordsOf(decoderOnly ? trace.tgtIn : trace.src);
  const score = decoderOnly ? withoutOwnWords : withoutSourceWords;
  const deltas = await score(translator, trace, pieces, scored, steps);
  return { words, pieces, deltas };
}

/**
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number[][]} words
 * @param {number[][]} scored
 * @param {number[]} steps
 */
async function withoutSourceWords(translator, trace, words, scored, steps) {
  const { model, rest } = translator;
  const tgtIn = tgtOf(translator, trace);
  const own = scored.map((ids) => steps.map((step) => ids[step]));
  /** @param {number[]} removed */
  const logsOf = (removed) =>
    asTracedWithout(translator, trace, "src", removed, () => {
      const src = trace.srcIds.filter((_, at) => !removed.includes(at));
      const logits = decoderLogits(translator, tgtIn, model.encode(src), steps);
      return own.map((ids) => logProbabilities(logits, ids));
    });
  const whole = await logsOf([]);
  const deltas = scored.map(() => zeros(steps.length, words.length));
  for (const [column, word] of words.entries()) {
    await rest();
    const without = await logsOf(word);
    for (const [i, of] of deltas.entries()) {
      for (const [row, log] of without[i].entries()) rowOf(of, row)[column] = log - whole[i][row];
    }
  }
  return deltas;
}

/**
 * A word of the text so far: what stands after it moves up.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number[][]} words
 * @param {number[][]} scored
 * @param {number[]} steps
 */
async function withoutOwnWords(translator, trace, words, scored, steps) {
  const read = tgtOf(translator, trace);
  const nothing = translator.model.encode([]);
  const logits = await asTraced(translator, trace, () =>
    decoderLogits(translator, read, nothing, steps),
  );
  const whole = scored.map((ids) =>
    logProbabilities(
      logits,
      steps.map((step) => ids[step]),
    ),
  );
  const deltas = scored.map(() => zeros(steps.length, words.length));
  for (const { values } of deltas) values.fill(Number.NaN);
  for (const [column, word] of words.entries()) {
    const last = word[word.length - 1];
    // Input i is emitted by row i − 1; rows from the word's last piece on have read it. The row
    // before the word now says what came after it.
    const kept = [...read.keys()].filter((i) => !word.includes(i));
    const told = steps.filter((step) => step >= last);
    if (!told.length) continue;
    await translator.rest();
    const rows = told.map((step) => kept.indexOf(step === last ? word[0] - 1 : step));
    const left = kept.map((i) => read[i]);
    const without = await asTracedWithout(translator, trace, "tgt", word, () =>
      decoderLogits(translator, left, nothing, rows),
    );
    for (const [i, ids] of scored.entries()) {
      const logs = logProbabilities(
        without,
        told.map((step) => ids[step]),
      );
      for (const [k, step] of told.entries()) {
        const row = steps.indexOf(step);
        rowOf(deltas[i], row)[column] = logs[k] - whole[i][row];
      }
    }
  }
  return deltas;
}
