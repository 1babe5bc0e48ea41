/** How the page asks an analysis: by name, with options that are read here (`inside/analysis.py`). */

import { PROTOCOL } from "../../trace/protocol.js";
import { checkCost } from "../ask/cost.js";
import { checkNeeds } from "../ask/needs.js";
import { readOptions } from "../ask/options.js";
import { HeadlightError } from "../errors.js";
import { anatomy } from "./anatomy.js";
import { contributions } from "./contributions.js";
import { costs } from "./costs.js";
import { decoder_lens } from "./decoder_lens.js";
import { distribution } from "./distribution.js";
import { effect } from "./effect.js";
import { flow } from "./flow.js";
import { heads } from "./heads.js";
import { leave_one_out } from "./leave_one_out.js";
import { lens } from "./lens.js";
import { residual } from "./residual.js";
import { sweep } from "./sweep.js";
import { value_norms } from "./value_norms.js";
import { value_zeroing } from "./value_zeroing.js";
import { why } from "./why.js";
import { without_words } from "./without_words.js";

/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/** @type {Record<string, (translator: Translator, trace: Trace, options: any) => Promise<any>>} */
const ANALYSES = {
  anatomy,
  contributions,
  costs,
  decoder_lens,
  distribution,
  effect,
  flow,
  heads,
  leave_one_out,
  lens,
  residual,
  sweep,
  value_norms,
  value_zeroing,
  why,
  without_words,
};

/**
 * Reads which analysis is asked for, and its options.
 *
 * @param {unknown} name
 * @param {unknown} sent  options, as a stranger sent them
 * @returns {(translator: Translator, trace: Trace) => Promise<any>}
 * @throws {HeadlightError} nobody here answers that, or an option is another than was declared
 */
export function readAnalysis(name, sent) {
  if (typeof name !== "string" || typeof (sent ?? {}) !== "object" || Array.isArray(sent)) {
    throw new HeadlightError("bad_request");
  }
  // The page asks for nothing that the server would not answer.
  if (!Object.hasOwn(ANALYSES, name)) throw new HeadlightError("needs_machine");
  const { needs, cost, options: declared } = PROTOCOL.analyses[name];
  const values = /** @type {Record<string, unknown>} */ (sent ?? {});
  if (Object.keys(values).some((option) => !Object.hasOwn(declared, option))) {
    throw new HeadlightError("bad_request");
  }
  const options = readOptions(declared, values);
  return (translator, trace) => {
    checkNeeds(needs, translator);
    checkCost(cost, trace);
    return ANALYSES[name](translator, trace, options);
  };
}
