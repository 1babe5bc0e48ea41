/** What is set beside the trace that is shown, unless something else is chosen. */

/** @import { State } from "./state.js" */
/** @import { Branch } from "../trace/tree.js" */

/**
 * Whether the model is another one than was asked for: changed, taught, or a patient.
 *
 * @param {Pick<State, "question" | "patient">} state
 */
export function isChanged({ question, patient }) {
  return Boolean(question?.interventions.length || question?.taught || patient);
}

/**
 * The branch that was chosen, else the first other one; of a changed model none, for what it said before
 * stands there.
 *
 * @param {Pick<State, "tree" | "trace" | "compared" | "question" | "patient">} state
 * @returns {Branch | null}
 */
export function branchBeside(state) {
  const { tree, trace, compared } = state;
  const others = tree.filter((branch) => branch.trace !== trace);
  const chosen = others.find((branch) => branch === compared);
  return chosen ?? (isChanged(state) ? null : (others[0] ?? null));
}
