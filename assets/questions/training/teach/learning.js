/** What a person does to teach the model, and to have it forget. */

/** @import { Correction } from "../../../trace/correction.js" */
/** @typedef {Pick<import("../settings.js").Context, "store" | "actions">} Page */

/** @type {(page: Page, attempt: {model: string, taught: Correction}) => void}  it may come to nothing */
export function attemptCorrection({ actions }, attempt) {
  actions.adjust("training", { attempt, learnt: null });
}

/** @type {(page: Page, taught: Correction) => Promise<void>}  all that is shown comes from it from now on */
export async function learnCorrection({ store, actions }, taught) {
  await actions.teach(taught);
  if (store.get().training.attempt?.taught === taught)
    actions.adjust("training", { attempt: null });
}
