/** What a question needs of the trace that is shown, and why it cannot be asked without. */

import { DEFAULT_TAB } from "../state/state.js";
import { judgedOf } from "../trace/judged.js";

/** @import { Trace } from "../trace/trace.js" */
/** @typedef {keyof typeof OFFERED} Need */

/** @typedef {{name: string, needs: Need[], "ask": string[], ofGuests?: string[]}} Asked  a question */

/** Whether a trace has it. */
const OFFERED = {
  /** @param {Trace} trace */
  encoder: ({ weights }) => Boolean(weights.encoder_self),
  /** @param {Trace} trace */
  cross: ({ weights }) => Boolean(weights.cross),
  /** Tokens that are written one after the other. @param {Trace} trace */
  steps: ({ tgt_in }) => tgt_in.length > 0,
  /** Tokens that the model says something of. @param {Trace} trace */
  judged: (trace) => judgedOf(trace).rows.length > 0,
};

/**
 * Whether a tab holds anything that what is shown can be asked; attention always is.
 *
 * @param {string} tab
 * @param {({tab: string} & Asked)[]} questions  of all tabs
 * @param {{trace: Trace | null, lacking: string[]}} state
 */
export function suits(tab, questions, state) {
  const own = questions.filter((each) => each.tab === tab);
  return !state.trace?.guest || tab === DEFAULT_TAB || own.some((each) => !whyNot(each, state));
}

/**
 * Why a question is not one for what is shown.
 *
 * @param {Asked} question
 * @param {{trace: Trace | null, lacking: string[]}} state
 * @returns {string | null}  the key of the sentence that says so; null: it can be asked
 */
export function whyNot({ name, needs, ask, ofGuests = [name, ...ask] }, { trace, lacking }) {
  if ([name, ...ask].some((each) => lacking.includes(each))) return "error.needs_machine";
  const lacks = trace?.guest?.lacks ?? {};
  const one = ofGuests.find((each) => each in lacks);
  if (one) return `needs.guest.${lacks[one]}`;
  const missing = trace && needs.find((need) => !OFFERED[need](trace));
  return missing ? `needs.${missing}` : null;
}
