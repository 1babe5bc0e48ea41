/** The step that a trace opens at: mid-sentence, where there is something to be seen. */

import { KINDS, predicts, walkOf } from "./kinds.js";
import { openingHead, representativeHead } from "./trace.js";
import { headWeights } from "./weights.js";

/** A piece of a word or a number; neither punctuation nor a special token. */
const MEANS = /^(?!<.*>$).*[\p{L}\p{N}]/u;

/** A row that looks at a word this much as the clearest row does tells as much. */
const NEARLY = 0.9;

/**
 * A step that predicts a word and whose representative head looks at one word of the source as no other
 * does: of several such, and in a model without cross-attention, the middle one. The first is left
 * out if it can be: it reads <s>. Where no head has a clear role, the last step shows everything.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {number} [given]  how many tokens at its beginning the model did not choose
 * @returns {number}
 */
export function openingStep(trace, given = 0) {
  const { src, hidden } = trace;
  // Somebody has hidden it, and asks what is guessed there.
  if (hidden?.length) return hidden[0].at;
  const [walk, written] = [walkOf(trace), predicts(trace)];
  const means = (written ? trace.tgt_out : walk).flatMap((token, step) =>
    step >= given &&
    MEANS.test(token.replaceAll("␣", "")) &&
    // Of an encoder's tokens, its tokenizer says which are no word's.
    (written || trace.words?.src?.[step] !== null)
      ? [step]
      : [],
  );
  const later = means.filter((step) => step > 0);
  const steps = later.length ? later : means;
  const clear = KINDS.some((kind) => representativeHead(trace, kind)?.role);
  if (!steps.length) return walk.length - 1;
  if (!clear) return written ? walk.length - 1 : middle(steps);
  const { cross } = trace.weights;
  const representative = representativeHead(trace, "cross");
  if (!cross || !representative?.role) return middle(steps);
  const weights = headWeights(cross, openingHead(trace, "cross") ?? representative.choice);
  const words = src.flatMap((token, key) => (MEANS.test(token.replaceAll("␣", "")) ? [key] : []));
  const most = (/** @type {number} */ step) =>
    Math.max(0, ...words.map((key) => weights[step * cross.keys + key]));
  const clearest = Math.max(...steps.map(most));
  return middle(steps.filter((step) => most(step) >= NEARLY * clearest));
}

/** @type {(steps: number[]) => number} */
function middle(steps) {
  return steps[Math.floor(steps.length / 2)];
}
