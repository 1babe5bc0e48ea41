/** What there is to doubt in a translation: what the model could not read, or hardly knows. */

import { brokenWords, certainty, isFar, isUnsure } from "./certainty.js";
import { isForeign } from "./scripts.js";

/**
 * What a person ought to know of the sentence that is shown, the gravest first.
 *
 * @typedef {{says: "foreign"}
 *   | {says: "unknown"}
 *   | {says: "long", length: number, longest: number}
 *   | {says: "broken", words: string[], probability: number}
 *   | {says: "unsure", probability: number}} Doubt
 */

/** So many words are named. */
const MOST = 5;

/**
 * @param {import("./trace.js").Trace} trace
 * @param {{source_language?: string, longest?: number}} model  `longest`: of a hundred texts that it
 *   learnt from one had more tokens; 0 if nobody knows
 * @param {string} source  as it stands in the box: another text takes back what was said of its script
 * @returns {Doubt | null}
 */
export function doubt(trace, { source_language = "", longest = 0 }, source) {
  if (isForeign(trace.source, source_language)) {
    return isForeign(source, source_language) ? { says: "foreign" } : null;
  }
  // What a decoder alone reads is its prompt.
  const read = trace.src.length ? trace.src : trace.tgt_in;
  if (read.includes("<unk>")) return { says: "unknown" };
  const length = trace.src.filter((token) => token !== "</s>").length;
  if (longest && length > longest) return { says: "long", length, longest };
  const probability = certainty(trace);
  if (isFar(trace))
    return { says: "broken", words: brokenWords(trace.src).slice(0, MOST), probability };
  return isUnsure(trace) ? { says: "unsure", probability } : null;
}
