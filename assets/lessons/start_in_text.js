/** Where the first minute takes place without a card that says so: in the text, at a row that looks at another word. */

import { EOS } from "../trace/roles.js";
import { looksOf } from "../trace/sentence.js";
import { openingHead, readingKind } from "../trace/trace.js";

/** @import { Trace } from "../trace/trace.js" */
/** @import { Places, Start } from "../trace/first_minute.js" */

/**
 * A row of what a model wrote itself, or of an encoder any word's, whose head looks most at one word, which
 * is neither its own nor the first; and the word that it looks at least.
 *
 * @param {Trace} trace
 * @returns {{start: Start, places: Places} | null}  null: there is no such row
 */
export function startIn(trace) {
  const kind = readingKind(trace);
  const [weights, choice] = [trace.weights[kind], openingHead(trace, kind)];
  if (!weights || !choice) return null;
  const first = trace.src.length ? 1 : trace.prefix_length + 1;
  const own = trace.words?.[trace.tgt_in.length ? "tgt" : "src"];
  /** @type {{step: number, word: import("../trace/sentence.js").Looked, elsewhere: import("../trace/sentence.js").Looked} | null} */
  let best = null;
  for (let step = first; step < weights.queries; step++) {
    // No word of its own is read there, or none is written.
    if (own?.[step] === null || trace.tgt_out[step] === EOS) continue;
    const words = (looksOf(trace, kind, choice, step)?.words ?? []).filter(
      ({ pieces }) => kind === "cross" || !(pieces.includes(step) || pieces.includes(0)),
    );
    if (words.length < 2) continue;
    const [word] = words;
    const elsewhere = words[words.length - 1];
    if (!best || word.weight > best.word.weight) best = { step, word, elsewhere };
  }
  if (!best) return null;
  const { step, word, elsewhere } = best;
  return {
    start: {
      ...{ source: trace.source, step: step + 1, word: word.label, elsewhere: elsewhere.label },
      found: true,
    },
    places: { step, word: word.pieces, elsewhere: elsewhere.pieces },
  };
}

/**
 * What was found in the texts that are shown, one after the other; while something is steered, before that.
 *
 * @param {import("../state/actions.js").Context["store"]} store
 */
export function textStart(store) {
  /** @type {({model: string} & NonNullable<ReturnType<typeof startIn>>) | null} */
  let beginning = null;
  /** @type {Trace | null} */
  let looked = null;
  return {
    look() {
      const { trace } = store.get();
      if (!trace || trace.interventions?.length) return false;
      if (beginning?.model === trace.model && beginning.start.source === trace.source) return false;
      looked = trace;
      const here = startIn(trace);
      beginning = here && { model: trace.model, ...here };
      return true;
    },
    /** The beginning of the model at hand. */
    here: () => (beginning?.model === store.get().model ? beginning : null),
    hasLooked: () => looked === store.get().trace,
  };
}
