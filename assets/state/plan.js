/** What has to be decoded before a question can be shown, and what is shown then. */

import { walkOf } from "../trace/kinds.js";
import { openingStep } from "../trace/opening.js";
import { branchWith, grow, promptLength, trunk } from "../trace/tree.js";
import { headsIn } from "./shown_heads.js";
import { DEFAULT_TAB } from "./state.js";

/** @import { Question, State } from "./state.js" */
/** @import { Problem } from "./problem.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @import { Branch } from "../trace/tree.js" */

/**
 * The prefixes that are to be decoded, of those that are wanted; the trunk's, an empty one, first.
 *
 * @param {Branch[] | undefined} tree  as far as it is known
 * @param {number[][]} wanted
 */
export function plan(tree, wanted) {
  const branches = wanted.filter((ids) => ids.length > 0);
  return tree ? branches.filter((ids) => !branchWith(tree, ids)) : [[], ...branches];
}

/**
 * A tree with what was decoded; a branch that was refused is left out.
 *
 * @param {Branch[] | undefined} tree
 * @param {number[][]} prefixes  as `plan` has them
 * @param {(Trace | Problem)[]} answers  to each; that of a trunk is a trace
 * @returns {Branch[]}
 */
export function planted(tree, prefixes, answers) {
  return answers.reduce((/** @type {Branch[]} */ grown, answer, i) => {
    if ("code" in answer) return grown;
    if (!grown.length) return [trunk(answer)];
    return branchWith(grown, prefixes[i]) ? grown : grow(grown, prefixes[i], answer);
  }, tree ?? []);
}

/**
 * What is shown, by default at a step that tells something.
 *
 * @typedef {object} Showing
 * @property {Question | null} question  null: the server could not answer it with this trace
 * @property {Branch[]} tree
 * @property {Branch} branch  of the tree
 * @property {number} [step]
 * @property {State["file"]} [file]  that the trace is from
 * @property {State["patient"]} [patient]  whose trace it is; by default, of the same question the same
 */

/**
 * The change of a state that shows a branch of a tree.
 *
 * @type {(state: State, showing: Showing) => Partial<State> & Pick<State, "patient">}
 */
export function shown(state, { question, tree, branch: { trace }, file = null, ...how }) {
  const patient = how.patient ?? (question === state.question ? state.patient : null);
  const step = how.step ?? openingStep(trace, promptLength(tree));
  return {
    ...{ question, file, tree, trace, patient, refused: null },
    before: patient?.healthy ?? null,
    step: Math.min(step, walkOf(trace).length - 1),
    ...{ compared: null, problem: null, beyond: null, hover: null, token: null, picked: null },
    ...headsIn(trace, state),
    // The others ask a model, and none stands behind weights that somebody recorded elsewhere.
    ...(trace.origin?.by === "given" ? { tab: DEFAULT_TAB } : {}),
  };
}
