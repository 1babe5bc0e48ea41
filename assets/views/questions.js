/**
 * The questions of one tab, one below the other; of each that does not suit what is shown, one sentence
 * says why.
 */

import { h } from "../kit/dom.js";
import { heldView } from "../parts/folded.js";
import { whyNot } from "../parts/needs.js";
import { whileTrue } from "../parts/seen.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Question } from "../parts/question.js" */

/**
 * @param {Context} context
 * @param {Question[]} questions  of one tab
 */
export function questionsView(context, questions) {
  if (questions.length === 1) return h("div", {}, ...suitedView(context, questions[0]));
  const [{ tab }] = questions;
  const blocks = folds(questions).flatMap((group) => {
    const [{ fold }, ...others] = group;
    if (!fold) return suitedView(context, group[0]);
    if (!others.length)
      return suitedView(context, group[0], (own) => heldView(fold, own, group[0].view));
    return heldView(fold, context, (own) =>
      h("div", { class: "inside" }, ...group.flatMap((question) => suitedView(own, question))),
    );
  });
  return h("div", { class: `inside ${tab}-tab` }, ...blocks);
}

/**
 * Those that are folded together in one list, each of the others in a list of its own.
 *
 * @param {Question[]} questions
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
 * @param {Question} question
 * @param {Question["view"]} [make]
 */
function suitedView(context, question, make = question.view) {
  const view = make(whileTrue(context, (state) => whyNot(question, state) === null));
  const note = h("section", { class: "lacking" });
  context.watch(["trace"], (state) => {
    const why = whyNot(question, state);
    view.hidden = why !== null;
    note.hidden = why === null;
    if (!why) return;
    note.replaceChildren(
      h("h3", {}, context.t(question.title)),
      h("p", { class: "quiet", role: "note" }, context.t(why)),
    );
  });
  return [view, note];
}
