/** Showing a branch of a tree, and beside a changed model's what the unchanged one says. */

import { branchWith, trunk } from "../trace/tree.js";
import { shown } from "./plan.js";

/** @import { Question, State } from "./state.js" */
/** @import { Branch } from "../trace/tree.js" */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {object} how
 * @param {import("./requests.js").Decode} how.decode
 * @param {ReturnType<typeof import("./remembering.js").remembering<Branch[]>>} how.trees  of questions
 * @param {() => void} how.stop  playing
 */
export function showing(store, { decode, trees: { recall, remember }, stop }) {
  /** @param {import("./plan.js").Showing} showing */
  function show(showing) {
    stop();
    const { question, tree, branch, file } = showing;
    const change = shown(store.get(), showing);
    if (question && !change.patient) remember(question, tree); // the same asked elsewhere is not forced
    if (file && store.get().lesson?.part === "clinic") store.set({ lesson: null });
    store.set(change);
    const isChanged = question?.interventions.length || question?.taught;
    if (isChanged && !change.patient) showBefore(question, branch);
  }

  /**
   * Finds what the same would be with nothing changed in the model; in one that was only corrected,
   * before its correction.
   *
   * @param {Question} question
   * @param {Branch} branch  that is shown
   */
  async function showBefore(question, { prefix, trace }) {
    const plain = question.interventions.length
      ? { ...question, interventions: [] }
      : { ...question, taught: null };
    const tree = recall(plain);
    const earlier = tree && branchWith(tree, prefix);
    const before = earlier ? earlier.trace : await decode(plain, prefix);
    if ("code" in before) return;
    if (!tree && !prefix.length) remember(plain, [trunk(before)]);
    if (store.get().trace === trace) store.set({ before });
  }

  return show;
}
