/** What a person does with a guest alone: hides words, puts a guess in, chooses a language, chats. */

import { withToken } from "../trace/hidden.js";
import { partOf } from "./of_guest.js";

/** @import { OfGuest } from "./state.js" */
/** @typedef {Pick<import("./actions.js").Context, "store" | "actions">} Context */

/**
 * @param {Context} context
 * @param {Partial<OfGuest>} change
 */
export function askGuest({ store, actions }, change) {
  const { question, step, source, guest, model, sampling } = store.get();
  const same = question?.model === model && question.source === source;
  const asked = same
    ? question
    : { model, source, sampling, interventions: [], taught: null, guest };
  const next = { ...asked, ...partOf({ ...asked.guest, ...change }) };
  if (!partOf({ ...asked.guest, ...change }).guest) delete next.guest;
  return actions.open(next, [], [], "hidden" in change ? step : undefined);
}

/**
 * Hides tokens of the source, or shows them again; the walk goes to the first of them.
 *
 * @param {Context} context
 * @param {number[]} tokens  a word's
 */
export async function toggleHidden(context, tokens) {
  const now = context.store.get().question?.guest?.hidden ?? [];
  const left = now.filter((at) => !tokens.includes(at));
  const hidden = left.length < now.length ? left : [...now, ...tokens].sort((a, b) => a - b);
  await askGuest(context, { hidden });
  context.actions.goTo(tokens[0]);
}

/**
 * Puts a guess into the text, where a token was hidden, and reads it again.
 *
 * @param {Context} context
 * @param {number} index  of the candidate
 */
export function putIn({ store, actions }, index) {
  const { trace, step, question } = store.get();
  const guess = trace?.candidates[step]?.[index];
  if (!trace || !guess || !question) return null;
  const hidden = (question.guest?.hidden ?? []).filter((at) => at !== step);
  const { guest: _, ...rest } = question;
  const source = withToken(trace, step, guess.token);
  return actions.open({ ...rest, source, ...partOf({ ...question.guest, hidden }) }, [], [], step);
}
