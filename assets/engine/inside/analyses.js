/** How the page asks an analysis: by name, with options that are read here (`inside/analysis.py`). */

import { KINDS } from "../../trace/kinds.js";
import { listOf, oneOf, text, wholeNumber } from "../ask/options.js";
import { HeadlightError } from "../errors.js";
import { anatomy } from "./anatomy.js";
import { contributions } from "./contributions.js";
import { costs } from "./costs.js";
import { decoder_lens } from "./decoder_lens.js";
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

/**
 * @typedef {object} Analysis
 * @property {(translator: Translator, trace: Trace, options: any) => Promise<any>} run
 * @property {Record<string, (value: unknown) => unknown>} options
 * @property {(trace: Trace) => number} passes  over a trace's tokens, at most, about
 */

/**
 * Passes times tokens; the server's bound, so that both refuse the same.
 */
const MOST = 30_000;

/**
 * @param {Analysis["run"]} run
 * @param {Analysis["options"]} [options]
 * @param {Analysis["passes"]} [passes]
 * @returns {Analysis}
 */
function analysis(run, options = {}, passes = () => 1) {
  return { run, options, passes };
}

/** @param {Trace} trace */
const wordsOf = ({ src, tgt_in }) => src.length || tgt_in.length;

/** @param {Trace} trace */
const headsOfAKind = ({ weights }) =>
  Math.max(...KINDS.map((kind) => (weights[kind] ? headsOf(weights[kind].shape) : 0)));

/** @param {number[]} shape */
const headsOf = ([layers, heads]) => layers * heads;

/** @type {Record<string, Analysis>} */
const ANALYSES = {
  anatomy: analysis(anatomy),
  contributions: analysis(contributions),
  costs: analysis(costs),
  decoder_lens: analysis(decoder_lens),
  effect: analysis(effect, { interventions: listOf(text, 500) }),
  flow: analysis(flow, { block: text }),
  heads: analysis(heads),
  leave_one_out: analysis(leave_one_out, {}, wordsOf),
  lens: analysis(lens),
  residual: analysis(residual),
  sweep: analysis(sweep, { kinds: listOf(oneOf(KINDS), KINDS.length, KINDS) }, headsOfAKind),
  value_norms: analysis(value_norms),
  value_zeroing: analysis(value_zeroing, {}, ({ src, tgt_in }) => src.length + 2 * tgt_in.length),
  why: analysis(
    why,
    { step: wholeNumber, token: wholeNumber },
    (trace) => (1 + (trace.weights.decoder_self?.shape[0] ?? 0)) * wordsOf(trace),
  ),
  without_words: analysis(without_words, { step: wholeNumber }, wordsOf),
};

/**
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
  const known = ANALYSES[name];
  const values = /** @type {Record<string, unknown>} */ (sent ?? {});
  if (Object.keys(values).some((option) => !Object.hasOwn(known.options, option))) {
    throw new HeadlightError("bad_request");
  }
  const options = Object.fromEntries(
    Object.entries(known.options).map(([option, read]) => [option, read(values[option])]),
  );
  return (translator, trace) => {
    const tokens = trace.src.length + trace.tgt_in.length;
    const passes = known.passes(trace);
    if (tokens * passes > MOST) throw new HeadlightError("too_expensive", { tokens, passes });
    return known.run(translator, trace, options);
  };
}
