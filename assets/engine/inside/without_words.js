/**
 * What a step would say without a word: each word left out in turn, and the token chosen anew
 * (`transformer/inside/without_words.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { hasRead, logitsWithout } from "../ask/passes.js";
import { candidatesOf } from "../decoding/candidates.js";
import { HeadlightError } from "../errors.js";

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
  if (step >= trace.tgt_ids.length) throw new HeadlightError("bad_step");
  const own = wordsOf(translator.decoderOnly ? trace.tgt_in : trace.src);
  const words = own.words
    .map((text, i) => ({ text, tokens: own.pieces[i] }))
    .filter(({ tokens }) => hasRead(translator, tokens, step));

  /** @param {number[]} removed */
  const candidatesWithout = async (removed) => {
    await translator.rest();
    const logits = await logitsWithout(translator, trace, removed, [step]);
    const candidates = candidatesOf(logits.values, trace.tgt_ids[step], TOP, null);
    return candidates.map(({ id, probability }) => ({
      ...{ token: translator.tgtTokenizer.label(id), id, probability },
    }));
  };

  const before = await candidatesWithout([]);
  const without = [];
  for (const { tokens } of words) without.push(await candidatesWithout(tokens));
  return {
    step,
    words: words.map(({ text }) => text),
    pieces: words.map(({ tokens }) => tokens),
    before,
    without,
  };
}
