/** What a question needs of the trace that is shown, and why it cannot be asked without. */

/** @import { Trace } from "../trace/trace.js" */
/** @typedef {keyof typeof OFFERED} Need */

/** Whether a trace has it. */
const OFFERED = {
  /** @param {Trace} trace */
  encoder: ({ weights }) => Boolean(weights.encoder_self),
  /** @param {Trace} trace */
  cross: ({ weights }) => Boolean(weights.cross),
  /** Tokens that are written one after the other. @param {Trace} trace */
  steps: ({ tgt_in }) => tgt_in.length > 0,
};

/**
 * Why a question is not one for what is shown.
 *
 * @param {{name: string, needs: Need[], "ask": string[]}} question
 * @param {{trace: Trace | null, lacking: string[]}} state
 * @returns {string | null}  the key of the sentence that says so; null: it can be asked
 */
export function whyNot({ name, needs, ask }, { trace, lacking }) {
  if ([name, ...ask].some((each) => lacking.includes(each))) return "error.needs_machine";
  const missing = trace && needs.find((need) => !OFFERED[need](trace));
  return missing ? `needs.${missing}` : null;
}
