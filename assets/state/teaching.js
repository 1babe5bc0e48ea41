/** What a person does to teach the model, to have it forget, and to keep what it has become. */

import { NO_ANSWER } from "./server/ask.js";

/** @import { Question, State } from "./state.js" */
/** @import { Taught } from "../trace/lesson.js" */
/** @import { Problem } from "./server/ask.js" */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server/ask.js").Ask} ask
 * @param {(question: Question) => Promise<unknown>} open
 */
export function teachingActions(store, ask, open) {
  /** @param {Partial<State["training"]>} change */
  const change = (change) => store.set({ training: { ...store.get().training, ...change } });

  /**
   * Asks the same of the model with this lesson, or with none.
   *
   * @param {Taught | null} taught
   */
  async function askAgain(taught) {
    const { question, patient, lesson } = store.get();
    const asked = patient?.question ?? question;
    if (!asked) return;
    // A patient of the clinic is the model as it was.
    if (lesson?.part === "clinic") store.set({ lesson: null });
    await open({ ...asked, taught });
  }

  return {
    /** @param {NonNullable<State["training"]["attempt"]>} attempt  which may come to nothing */
    attempt: (attempt) => change({ attempt, learnt: null }),
    /** @param {Taught} taught  that the model could learn; all that is shown comes from it from now on */
    async learn(taught) {
      await askAgain(taught);
      if (store.get().training.attempt?.taught === taught) change({ attempt: null });
    },
    /** The model is as it was. */
    forget() {
      change({ attempt: null, learnt: null });
      return store.get().question?.taught ? askAgain(null) : undefined;
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
