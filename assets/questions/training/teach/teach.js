/** Teach it: a visitor corrects the model, and sees how it learns, step by step, and what that costs. */

import { h } from "../../../kit/dom.js";
import { awaiting } from "../../../parts/awaited.js";
import { problemText } from "../../../state/problem.js";
import { correctionForm } from "./form.js";
import { learnCorrection } from "./learning.js";
import { runView } from "./run.js";

/** @import { TrainingSettings } from "../settings.js" */

/** @param {import("../settings.js").Context} context */
export function teachView(context) {
  const { store, actions, runOf, t, watch } = context;
  const intro = h("p", { class: "prose" }, t("teach.about"));
  if (store.get().lacking.includes("teach"))
    return h("div", { class: "inside" }, intro, h("p", { role: "note" }, t("teach.needs_machine")));

  const form = correctionForm(context);
  const run = runView(context);
  const answer = awaiting(t, { label: t("teach.state"), problem: form.problem, clear });
  const unasked = h("p", { role: "note" });
  let shown = "";
  /** @type {TrainingSettings["attempt"]}  whose run has been asked for here */
  let begun = null;
  let arrived = true;
  let ending = new AbortController();

  function clear() {
    run.clear();
    shown = "";
  }

  /** @type {import("../../../trace/correction.js").Correction | null}  what it had learnt before */
  let had = null;

  /** @param {typeof had} taught  what it has learnt now */
  function forgot(taught) {
    const forgotten = had !== null && taught === null;
    had = taught;
    return forgotten;
  }

  watch(["trace", "question", "training"], (state) => {
    const { question, patient, file, training } = state;
    if (training.part !== "teach") return;
    const about = patient?.question ?? question;
    unasked.hidden = about !== null;
    form.element.hidden = about === null;
    if (!about) {
      unasked.textContent = file?.reason ? problemText(t, file.reason) : "";
      answer.rest();
      clear();
      return;
    }
    if (forgot(about.taught)) {
      actions.adjust("training", { attempt: null, learnt: null });
      return;
    }
    const attempt = isAbout(training.attempt, about) ? training.attempt : null;
    const taught = attempt?.taught ?? about.taught;
    const name = JSON.stringify([about.model, taught]);
    if (!taught) {
      ending.abort();
      if (shown) answer.rest();
      clear();
      return;
    }
    if (attempt && attempt !== begun) {
      begun = attempt;
      arrived = false;
      ending.abort();
      ending = new AbortController();
    }
    const here = shown === name;
    answer.show(
      runOf(about.model, taught, here ? undefined : ending.signal),
      (newRun) => {
        run.show(newRun);
        shown = name;
        if (arrived || !attempt) return;
        arrived = true;
        run.play();
        if (!newRun.undone) learnCorrection(context, taught);
      },
      here ? "" : t("teach.learning"),
    );
  });

  return h(
    "div",
    { class: "inside teach" },
    intro,
    unasked,
    form.element,
    answer.waiting,
    run.element,
  );
}

/**
 * @param {TrainingSettings["attempt"]} attempt
 * @param {import("../../../state/state.js").Question} question
 */
function isAbout(attempt, { model, source }) {
  return attempt?.model === model && attempt.taught.source === source;
}
