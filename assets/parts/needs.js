/** What a question needs of what is shown, and why it cannot be asked without. */

import { DEFAULT_TAB } from "../state/state.js";
import { judgedOf } from "../trace/judged.js";
import { PROTOCOL } from "../trace/protocol.js";

/** @import { Trace } from "../trace/trace.js" */
/** @typedef {keyof typeof OFFERED} Need */

/** @typedef {Pick<import("../state/state.js").State, "trace" | "lacking" | "models">} Shown */
/** @typedef {{name: string, needs?: Need[], "ask": string[], must?: string[]}} Asked  a question */

/** Whether a trace has it. */
const OFFERED = {
  /** @param {Trace} trace */
  cross: ({ weights }) => Boolean(weights.cross),
  /** Tokens that are written one after the other. @type {(trace: Trace, needs: string[]) => boolean} */
  steps: ({ tgt_in }, needs) => tgt_in.length > 0 || needs.includes("judged"),
  /** Tokens that the model says something of: hidden ones do in the place of steps. @param {Trace} trace */
  judged: (trace) => judgedOf(trace).rows.length > 0,
};

/**
 * Whether a tab holds anything that what is shown can be asked; attention always is.
 *
 * @param {string} tab
 * @param {({tab: string} & Asked)[]} questions  of all tabs
 * @param {Shown} state
 */
export function suits(tab, questions, state) {
  const own = questions.filter((each) => each.tab === tab);
  return !state.trace?.guest || tab === DEFAULT_TAB || own.some((each) => !whyNot(each, state));
}

/**
 * Why a question is not one for what is shown.
 *
 * @param {Asked} question
 * @param {Shown} state
 * @returns {string | null}  the key of the sentence that says so; null: it can be asked
 */
export function whyNot(
  { name, needs = [], ask, must = [name, ...ask] },
  { trace, lacking, models },
) {
  if (must.some((each) => lacking.includes(each))) return "error.needs_machine";
  if (!trace) return null;
  const declared = must.flatMap((each) => PROTOCOL.analyses[each]?.needs ?? []);
  const missing = (/** @type {string[]} */ names) =>
    names.find((it) => it in OFFERED && !OFFERED[/** @type {Need} */ (it)](trace, needs));
  // No other model of its form could be asked; what a person can mend comes last.
  const form = missing(declared);
  if (form) return `needs.${form}`;
  const lacks = trace.guest?.lacks ?? {};
  const one = must.find((each) => each in lacks);
  if (one) return `needs.guest.${lacks[one]}`;
  const needed = missing(needs);
  if (needed) return `needs.${needed}`;
  const offers = models.find((model) => model.name === trace.model)?.offers;
  const refused = declared.find((it) => !(it in OFFERED) && offers && !offers.includes(it));
  return refused ? `error.${PROTOCOL.needs[refused]}` : null;
}
