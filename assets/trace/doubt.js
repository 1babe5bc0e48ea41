/** What there is to doubt in a translation: what the model could not read, or hardly knows. */

import { brokenWords, certainty, isFar, isUnsure } from "./certainty.js";
import { otherLanguage } from "./function_words.js";
import { withCode } from "./language_code.js";
import { isForeign, readerOf } from "./scripts.js";

/**
 * What a person ought to know of the sentence that is shown, the gravest first.
 *
 * @typedef {{says: "foreign", reader: string | null}
 *   | {says: "language", language: string, reader: string | null}
 *   | {says: "unknown"}
 *   | {says: "long", length: number, longest: number}
 *   | {says: "broken", words: string[], probability: number}
 *   | {says: "unsure", probability: number}} Doubt
 */

/** Words that are named. */
const MOST = 5;

/**
 * A model, as far as it matters here.
 *
 * @typedef {{name: string, source_language?: string, target_language?: string, longest?: number}} Reader
 */

/**
 * The reason, if there is one, to doubt a translation as far as its trace shows it.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {Partial<Reader>} model  `longest`: of a hundred texts that it
 *   learnt from one had more tokens; 0 if nobody knows
 * @param {string} source  as it stands in the box: another text takes back what was said of its language
 * @param {Reader[]} [models]  all that there are: one of them may read that text
 * @returns {Doubt | null}
 */
export function doubt(
  trace,
  { source_language = "", target_language, longest = 0 },
  source,
  models = [],
) {
  const [sentence, typed] = [trace.source, source].map((text) => withCode(text, ""));
  if (isForeign(sentence, source_language)) {
    if (!isForeign(typed, source_language)) return null;
    const wished = isForeign(typed, target_language ?? "") ? target_language : source_language;
    const reader = readerOf(typed, models, wished ?? "");
    return { says: "foreign", reader: reader?.name ?? null };
  }
  const language = otherLanguage(sentence, source_language);
  if (language) {
    if (otherLanguage(typed, source_language) !== language) return null;
    const wished = language === target_language ? source_language : target_language;
    const readers = models.filter((model) => model.source_language === language);
    const reader = readers.find((model) => model.target_language === wished) ?? readers[0];
    return { says: "language", language, reader: reader?.name ?? null };
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
