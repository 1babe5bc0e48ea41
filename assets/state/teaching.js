/** What a person does to have a model that was taught something, and to keep what it has become. */

import { NO_ANSWER } from "./problem.js";

/** @import { Question, State } from "./state.js" */
/** @import { Problem } from "./problem.js" */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server/ask.js").Ask} ask
 * @param {(question: Question) => Promise<unknown>} open
 */
export function teachingActions(store, ask, open) {
  return {
    /**
     * Asks the same of the model with this correction, or with none.
     *
     * @param {Question["taught"]} taught
     */
    async teach(taught) {
      const { question, patient, lesson } = store.get();
      const original = patient?.question ?? question;
      if (!original) return;
      // A patient of the clinic is the model as it was.
      if (lesson?.part === "clinic") store.set({ lesson: null });
      await open({ ...original, taught });
    },
    /**
     * Keeps the model that is shown as a checkpoint.
     *
     * @param {string} name
     * @returns {Promise<Problem | null>}
     */
    async keepTaught(name) {
      const { question } = store.get();
      if (!question?.taught) return NO_ANSWER;
      const { model, source, taught } = question;
      const { kept, models, error } = await ask({ ask: "keep", model, source, taught, name });
      if (!kept || !models) return error ?? NO_ANSWER;
      store.set({ models });
      return null;
    },
  };
}
