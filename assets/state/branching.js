/** What a person does with branches of a translation: decode another one, go to it, close it. */

import { branchWith, grow, promptLength, prune } from "../trace/tree.js";

/** @import { State } from "./state.js" */
/** @import { Branch } from "../trace/tree.js" */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {object} how
 * @param {() => AbortSignal} how.begin  a request
 * @param {import("./requests.js").Decode} how.decode
 * @param {(showing: import("./plan.js").Showing) => void} how.show
 * @param {ReturnType<typeof import("./remembering.js").remembering<Branch[]>>["remember"]} how.remember
 *   the tree of a question
 * @param {() => void} how.stop  playing
 */
export function branchingActions(store, { begin, decode, show, remember, stop }) {
  /**
   * Decodes on from the current step with another token in place of the one it emitted.
   *
   * @param {number} id
   */
  async function branch(id) {
    const { question, tree, trace, step } = store.get();
    if (!question || !trace) return;
    const prefix = [...trace.tgt_ids.slice(promptLength(tree), step), id];
    const earlier = branchWith(tree, prefix);
    if (earlier) {
      show({ question, tree, branch: earlier, step });
      return;
    }
    const signal = begin();
    stop();
    store.set({ branching: true, busy: false, problem: null });
    const answer = await decode(question, prefix);
    if (signal.aborted) return;
    store.set({ branching: false });
    if ("code" in answer) {
      store.set({ problem: answer });
    } else {
      const grown = grow(store.get().tree, prefix, answer);
      show({ question, tree: grown, branch: grown[grown.length - 1], step });
    }
  }

  /**
   * Shows a branch of the tree at the step where the last one stood.
   *
   * @param {Branch} branch
   * @param {number} [step]
   */
  function visit(branch, step = store.get().step) {
    const { question, tree } = store.get();
    if (question) show({ question, tree, branch, step });
  }

  /** @param {Branch} branch  with all that forked from it; not the trunk */
  function close(branch) {
    const { question, tree, trace, compared } = store.get();
    if (!question || !branch.forkedFrom) return;
    const left = prune(tree, branch);
    if (!left.some((other) => other.trace === trace)) {
      show({ question, tree: left, branch: branch.forkedFrom, step: store.get().step });
    } else {
      remember(question, left);
      store.set({ tree: left, compared: compared && left.includes(compared) ? compared : null });
    }
  }

  return { branch, visit, close };
}
