/**
 * The questions of one tab, one below the other; of each that does not suit what is shown, one sentence
 * says why.
 */

import { h } from "../kit/dom.js";
import { heldView } from "../parts/folded.js";
import { later } from "../parts/later.js";
import { whyNot } from "../parts/needs.js";
import { whileTrue } from "../parts/seen.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Question, View } from "../parts/question.js" */
/** @typedef {Question & {create: View}} Brought */

/**
 * @param {Context} context
 * @param {Question[]} questions  of one tab
 */
export function questionsView(context, questions) {
  const bring = () =>
    Promise.all(questions.map(async (each) => ({ ...each, create: await each.view() })));
  return later(bring, (brought) => broughtView(context, brought));
}

/**
 * @param {Context} context
 * @param {Brought[]} questions
 */
function broughtView(context, questions) {
  if (questions.length === 1) return h("div", {}, ...suitedView(context, questions[0]));
  const [{ tab }] = questions;
  const blocks = folds(questions).flatMap((group) => {
    const [{ fold }, ...others] = group;
    if (!fold) return suitedView(context, group[0]);
    if (!others.length)
      return suitedView(context, group[0], (own) => heldView(fold, own, group[0].create));
    const folded = heldView(fold, context, (own) =>
      h("div", { class: "inside" }, ...group.flatMap((question) => suitedView(own, question))),
    );
    nameByWhatSuits(context, folded, group);
    return folded;
  });
  return h("div", { class: `inside ${tab}-tab` }, ...blocks);
}

/**
 * A guest's fold is named by those of its questions that the guest can be asked, or is not there.
 *
 * @type {(context: Context, folded: HTMLElement, group: Brought[]) => void}
 */
function nameByWhatSuits({ watch, t }, folded, group) {
  const name = folded.querySelector("summary");
  const all = name?.textContent ?? "";
  watch(["trace"], (state) => {
    const suited = group.filter((question) => whyNot(question, state) === null);
    const some = state.trace?.guest && suited.length < group.length;
    folded.hidden = Boolean(some && !suited.length);
    const titles = suited.map(({ title }) => t(title)).join(" · ");
    if (name) name.textContent = some ? t("layers.rest.some", { titles }) : all;
  });
}

/**
 * Questions that are folded together in one list, each of the others in a list of its own.
 *
 * @param {Brought[]} questions
 */
function folds(questions) {
  return questions.flatMap((question) => {
    const { fold } = question;
    const together = fold ? questions.filter((each) => each.fold === fold) : [question];
    return together[0] === question ? [together] : [];
  });
}

/**
 * A question's view and, for what it does not suit, the note in its place.
 *
 * @param {Context} context
 * @param {Brought} question
 * @param {View} [make]
 */
function suitedView(context, question, make = question.create) {
  const view = make(whileTrue(context, (state) => whyNot(question, state) === null));
  const note = h("section", { class: "lacking" });
  context.watch(["trace"], (state) => {
    const why = whyNot(question, state);
    view.hidden = why !== null;
    // Of a guest all that cannot be asked stands in one place.
    note.hidden = why === null || Boolean(state.trace?.guest);
    if (why === null || note.hidden) return;
    note.replaceChildren(
      h("h3", {}, context.t(question.title)),
      h("p", { class: "quiet", role: "note" }, context.t(why)),
    );
  });
  return [view, note];
}
