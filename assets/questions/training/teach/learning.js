/** What a person does to teach the model, and to have it forget. */

/** @import { Taught } from "../../../trace/lesson.js" */
/** @typedef {Pick<import("../settings.js").Context, "store" | "actions">} Page */

/** @type {(page: Page, attempt: {model: string, taught: Taught}) => void}  which may come to nothing */
export function attemptLesson({ actions }, attempt) {
  actions.adjust("training", { attempt, learnt: null });
}

/** @type {(page: Page, taught: Taught) => Promise<void>}  all that is shown comes from it from now on */
export async function learnLesson({ store, actions }, taught) {
  await actions.teach(taught);
  if (store.get().training.attempt?.taught === taught)
    actions.adjust("training", { attempt: null });
}
