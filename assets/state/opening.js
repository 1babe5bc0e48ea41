/** Asking a question and showing its answer, or why there is none; and asking once more. */

import { branchWith } from "../trace/tree.js";
import { mends } from "./mending.js";
import { plan, planted } from "./plan.js";

/** @import { Question, State } from "./state.js" */
/** @import { Problem } from "./problem.js" */
/** @import { Branch } from "../trace/tree.js" */

/** Error code of a correction that diverged and was rolled back. */
const CORRECTION_UNDONE = "correction_undone";

/**
 * @param {import("./store.js").Store<State>} store
 * @param {object} how
 * @param {() => AbortSignal} how.begin  a request
 * @param {import("./requests.js").Decode} how.decode
 * @param {(showing: import("./plan.js").Showing) => void} how.show
 * @param {ReturnType<typeof import("./remembering.js").remembering<Branch[]>>["recall"]} how.recall  the
 *   tree of a question
 */
export function openingActions(store, { begin, decode, show, recall }) {
  /** The last source that was refused. */
  let refused = "";
  /** Asks what was refused once more. */
  let again = () => {};

  /**
   * Shows the answer to a question, and of its branches the one with this prefix.
   *
   * @param {Question} question
   * @param {number[]} [prefix]
   * @param {number[][]} [others]  prefixes of branches to have beside it
   * @param {number} [step]  where it is shown; by default, where it tells something
   * @returns {Promise<Branch | null>}  what is shown now, the trunk if the prefix was refused; null
   *   if the question was, or a newer one was asked meanwhile
   */
  async function open(question, prefix = [], others = [], step = undefined) {
    const signal = begin();
    again = () => {};
    store.set({
      guest: null,
      ...question,
      ...{ error: null, ignored: [], outdated: false, busy: false, branching: false },
      ...{ report: null, refused: null },
    });
    let tree = recall(question);
    const prefixes = plan(tree, [prefix, ...others]);
    if (prefixes.length) {
      store.set({ busy: true });
      const answers = await Promise.all(prefixes.map((ids) => decode(question, ids)));
      if (signal.aborted) return null;
      const error = !tree && "code" in answers[0] ? answers[0] : null;
      store.set({ busy: false, error });
      if (error) {
        // Else whatever is asked next would be refused as well.
        store.set({ taught: store.get().question?.taught ?? null });
        refused = question.source;
        again = () => open(question, prefix, others, step);
        return question.taught && error.code === CORRECTION_UNDONE
          ? openUntaught(question, error)
          : null;
      }
      tree = planted(tree, prefixes, answers);
    }
    if (!tree) return null;
    const branch = branchWith(tree, prefix) ?? tree[0];
    show({ question, tree, branch, step });
    return branch;
  }

  /**
   * What the same model says without a correction that came to nothing, and why it did.
   *
   * @param {Question} question
   * @param {Problem} error
   */
  async function openUntaught(question, error) {
    const shown = await open({ ...question, taught: null });
    if (shown) store.set({ error });
    return shown;
  }

  return {
    open,
    /** Asks again what was refused, whose answer can be had now: a trace, or what a view has asked. */
    askAgain() {
      const { error, askedAgain } = store.get();
      if (error) again();
      else store.set({ problem: null, askedAgain: askedAgain + 1 });
    },
    /**
     * What a problem complains of goes with the keystroke that mends it.
     *
     * @param {string} source
     */
    editSource(source) {
      const { error } = store.get();
      store.set({ source, ...(error && mends(source, error, refused) ? { error: null } : {}) });
    },
  };
}
