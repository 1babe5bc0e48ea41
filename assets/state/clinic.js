/** Examining a patient: the bugged model's attention over the tokens that the healthy one wrote. */

import { trunk } from "../trace/tree.js";
import { HEALTHY, isExaminable, PATIENTS } from "./patients.js";

/** @import { Question } from "./state.js" */
/** @import { Trace } from "../trace/trace.js" */

/**
 * @param {import("./store.js").Store<import("./state.js").State>} store
 * @param {object} decoding
 * @param {() => AbortSignal} decoding.begin  a request; aborted once it is not the last one
 * @param {(question: Question, prefix: number[]) => Promise<Trace | import("./problem.js").Problem>} decoding.decode
 * @param {(showing: import("./plan.js").Showing) => void} decoding.show
 */
export function clinicActions(store, { begin, decode, show }) {
  return {
    /**
     * Shows a patient in place of the healthy model, on the same text.
     *
     * @param {number} at
     */
    async examine(at) {
      const state = store.get();
      const question = state.patient?.question ?? state.question;
      const healthy = state.patient?.healthy ?? state.trace;
      if (
        !question ||
        !healthy ||
        question.model !== HEALTHY ||
        question.taught ||
        !isExaminable(question.source)
      )
        return;
      const { changes, model = HEALTHY } = PATIENTS[at];
      const inquiry = {
        ...{ model, source: question.source, sampling: null },
        interventions: [...new Set([...question.interventions, ...changes])],
        taught: null,
      };
      const signal = begin();
      store.set({ busy: true, error: null });
      const answer = await decode(inquiry, healthy.tgt_ids);
      if (signal.aborted) return;
      if ("code" in answer) {
        store.set({ busy: false, error: answer });
        return;
      }
      // All bear the same name and open on the same heads: a patient's own model would tell.
      const trace = { ...answer, model: healthy.model, heads: healthy.heads };
      const only = { ...trunk(trace), prefix: healthy.tgt_ids };
      show({
        ...{ question: inquiry, tree: [only], branch: only, patient: { at, question, healthy } },
        step: state.patient ? state.step : undefined,
      });
      store.set({ busy: false });
    },
  };
}
