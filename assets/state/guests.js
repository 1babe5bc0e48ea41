/** What a person does with a guest alone: hides words, puts a guess in, chooses a language, chats. */

import { withToken } from "../trace/hidden.js";
import { PAIR } from "../trace/second.js";
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
  const base = same
    ? question
    : { model, source, sampling, interventions: [], taught: null, guest };
  const next = { ...base, ...partOf({ ...base.guest, ...change }) };
  if (!partOf({ ...base.guest, ...change }).guest) delete next.guest;
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
  const texts = apart(
    withToken(trace, step, guess.token),
    question,
    trace.parts?.src?.[step] === 1,
  );
  const ofGuest = { ...question.guest, hidden, second: texts.second };
  return actions.open({ ...rest, source: texts.source, ...partOf(ofGuest) }, [], [], step);
}

/**
 * Both texts of a pair, which a trace has on one line.
 *
 * @param {string} whole  one of them was changed
 * @param {import("./state.js").Question} question  as both were
 * @param {boolean} inSecond  whether the second one was
 * @returns {{source: string, second?: string}}
 */
function apart(whole, { source, guest }, inSecond) {
  const second = guest?.second;
  if (!second) return { source: whole };
  if (inSecond) return { source, second: whole.slice(source.length + PAIR.length) };
  return { source: whole.slice(0, whole.length - second.length - PAIR.length), second };
}
