/**
 * What a step would say without a word: each word left out in turn, and the token chosen anew
 * (`transformer/inside/without_words.py`).
 */

import { wordsOf } from "../../trace/whole_words.js";
import { hasRead, statesWithout } from "../ask/passes.js";
import { candidatesOf } from "../decoding/candidates.js";
import { withoutBanned } from "../decoding/decode.js";
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
  const { config, model, tgtTokenizer } = translator;
  const own = wordsOf(translator.decoderOnly ? trace.tgt_in : trace.src);
  const words = own.words
    .map((text, i) => ({ text, tokens: own.pieces[i] }))
    .filter(({ tokens }) => hasRead(translator, tokens, step));

  const removed = [[], ...words.map(({ tokens }) => tokens)];
  const variants = removed.map((removed) => ({ removed, steps: [step] }));
  const [before, ...without] = (await statesWithout(translator, trace, variants)).map((state) => {
    const logits = withoutBanned(model.decoder.output.run(state), config).values;
    return candidatesOf(logits, trace.tgt_ids[step], TOP, null).map((candidate) => ({
      ...{ token: tgtTokenizer.label(candidate.id), ...candidate },
    }));
  });
  return {
    step,
    words: words.map(({ text }) => text),
    pieces: words.map(({ tokens }) => tokens),
    before,
    without,
  };
}
