/**
 * Which words a translation rested on: each source word left out in turn
 * (`transformer/inside/leave_one_out.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { hasRead, logProbabilities, statesWithout } from "../ask/passes.js";
import { checkPrefix } from "../decoding/prefixes.js";
import { zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";

/** @import { Variant } from "../ask/passes.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/** A smaller chance has lost digits among a trace's candidates, which hold 32 bits of each. */
const LEAST = 1e-30;

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
  const without = pieces.map((removed) => ({
    removed,
    steps: steps.filter((step) => hasRead(translator, removed, step)),
  }));
  const variants = without.filter(({ steps }) => steps.length);
  /** @type {(variants: Variant[]) => Promise<number[][][]>}  of each, [step, scored] */
  const logsOf = async (variants) => {
    const states = await statesWithout(translator, trace, variants);
    return states.map((of, i) => {
      const wanted = variants[i].steps.map((step) => scored.map((ids) => ids[step]));
      return logProbabilities(translator, of, wanted);
    });
  };
  const left = await logsOf(variants);
  const [whole] = candidateLogs(trace, scored, steps) ?? (await logsOf([{ removed: [], steps }]));
  const deltas = scored.map(() => zeros(steps.length, words.length));
  for (const { values } of deltas) values.fill(Number.NaN);
  for (const [i, logs] of left.entries()) {
    const column = pieces.indexOf(variants[i].removed);
    for (const [k, step] of variants[i].steps.entries()) {
      const row = steps.indexOf(step);
      for (const [which, { shape, values }] of deltas.entries()) {
        values[row * shape[1] + column] = logs[k][which] - whole[row][which];
      }
    }
  }
  return { words, pieces, deltas };
}

/**
 * What a trace says of tokens itself, where they are among its candidates: [[step, scored]], log p.
 *
 * @type {(trace: Trace, scored: number[][], steps: number[]) => number[][][] | null}
 */
function candidateLogs({ candidates }, scored, steps) {
  const chances = steps.map((step) =>
    scored.map((ids) => candidates[step].find(({ id }) => id === ids[step])?.probability ?? 0),
  );
  if (chances.flat().some((chance) => chance < LEAST)) return null;
  return [chances.map((of) => of.map(Math.log))];
}
