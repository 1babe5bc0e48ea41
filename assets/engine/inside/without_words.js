/**
 * What a step would say without a word: each word left out in turn, and the token chosen anew
 * (`transformer/inside/without_words.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { candidatesOf } from "../decoding/candidates.js";
import { HeadlightError } from "../errors.js";
import { isStepwise } from "../recording/interventions.js";
import { asTracedWithout, decoderLogits, tgtOf } from "./passes.js";

/** Candidates of each variant. */
const TOP = 5;

/**
 * The candidates of a step with every word there, and with each word deleted. What was written before
 * the step stays.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace  whatever was changed in it stays changed; what a
 *   step was made to look at is forgotten with its word
 * @param {{step: number}} options
 * @throws {HeadlightError} there is no such step
 */
export async function without_words(translator, trace, { step }) {
  if (step >= trace.tgtIds.length) throw new HeadlightError("bad_step");
  const { model, decoderOnly: alone, tgtTokenizer } = translator;
  const whole = tgtOf(translator, trace);
  const read = trace.interventions.every(isStepwise) ? whole.slice(0, step + 1) : whole;
  const known = wordsOf(alone ? trace.tgtIn : trace.src);
  const words = known.words
    .map((text, i) => ({ text, tokens: known.pieces[i] }))
    .filter(({ tokens }) => !alone || tokens[tokens.length - 1] <= step);

  /** @param {number[]} removed */
  const said = async (removed) => {
    await translator.rest();
    const kept = (/** @type {number[]} */ ids) => ids.filter((_, i) => !removed.includes(i));
    const src = alone ? [] : kept(trace.srcIds);
    const tgtIn = alone ? kept(read) : read;
    // A step whose own input is gone is said by the one before.
    const row = alone ? step - removed.filter((i) => i <= step).length : step;
    const logits = await asTracedWithout(translator, trace, alone ? "tgt" : "src", removed, () =>
      decoderLogits(translator, tgtIn, model.encode(src), [row]),
    );
    const candidates = candidatesOf(logits.values, trace.tgtIds[step], TOP, null);
    return candidates.map(({ id, probability }) => ({
      ...{ token: tgtTokenizer.label(id), id, probability },
    }));
  };

  const before = await said([]);
  const without = [];
  for (const { tokens } of words) without.push(await said(tokens));
  return {
    step,
    words: words.map(({ text }) => text),
    pieces: words.map(({ tokens }) => tokens),
    before,
    without,
  };
}
