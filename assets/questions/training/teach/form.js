/** What the sentence should become, and how it is learnt. */

import { field, switchView } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { formView } from "../../../kit/form.js";
import { fill } from "../../../kit/i18n.js";
import { asTyped, typedNumber } from "../../../kit/numbers.js";
import { problemText } from "../../../state/problem.js";
import {
  canLearn,
  howText,
  MOST_STEPS,
  OPTIMIZERS,
  parseHow,
  RATES,
  rateText,
  USUAL_HOW,
} from "../../../trace/correction.js";
import { attemptCorrection } from "./learning.js";

/** @import { Draft } from "../settings.js" */

/** @param {import("../settings.js").Context} context */
export function correctionForm(context) {
  const { store, actions, t, watch } = context;
  const sentence = h("p", { class: "teach-pair" });
  const problem = h("p", { role: "alert", id: "teach-problem" });
  const box = h("input", {
    id: "teach-target",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "teach-problem",
    input: () => draft({ target: box.value }),
  });
  const steps = h("input", {
    ...{ id: "teach-steps", type: "number", inputmode: "decimal" },
    ...{ min: 1, max: MOST_STEPS, step: 1 },
    input: () => draft({ steps: typedNumber(steps.value) }),
  });
  // A field for numbers knows the decimal sign of the browser's language, which may not be the page's.
  const rate = h("input", {
    ...{ id: "teach-rate", type: "text", inputmode: "decimal", autocomplete: "off" },
    input: () => draft({ rate: typedNumber(rate.value) }),
  });
  const optimizers = switchView(
    t("teach.optimizer"),
    OPTIMIZERS,
    (optimizer) => t(`teach.${optimizer}`),
    (optimizer) => draft({ optimizer, rate: RATES[optimizer] }),
  );
  const element = formView(
    { class: "stack teach-form", novalidate: true },
    learn,
    sentence,
    h("label", { for: "teach-target" }, t("teach.target")),
    h(
      "div",
      { class: "ask" },
      box,
      h("button", { type: "submit", class: "primary" }, t("teach.learn")),
    ),
    problem,
    h(
      "div",
      { class: "fields" },
      optimizers.element,
      field(t("teach.steps"), steps),
      field(t("teach.rate"), rate),
    ),
  );

  function learn() {
    const state = store.get();
    const question = state.patient?.question ?? state.question;
    if (!question) return;
    const { target, ...how } = draftIn(state);
    const code = !target.trim() ? "empty_target" : canLearn(how) ? null : "bad_correction";
    problem.textContent = code ? problemText(t, { code, details: { steps: MOST_STEPS } }) : "";
    box.ariaInvalid = String(code === "empty_target");
    if (code) return;
    const { model, source } = question;
    attemptCorrection(context, { model, taught: { target, source, how: howText(how) } });
  }

  /** @param {Partial<Draft>} change */
  function draft(change) {
    problem.textContent = "";
    box.ariaInvalid = "false";
    actions.adjust("training", { draft: { ...draftIn(store.get()), ...change } });
  }

  watch(["trace", "question", "training"], (state) => {
    const { trace, training } = state;
    const question = state.patient?.question ?? state.question;
    if (!question || !trace || training.part !== "teach") return;
    const now = draftIn(state);
    if (box.value !== now.target) box.value = now.target;
    // What somebody is typing is no number for a while.
    if (steps.valueAsNumber !== now.steps && !Number.isNaN(now.steps))
      steps.value = String(now.steps);
    if (typedNumber(rate.value) !== now.rate && !Number.isNaN(now.rate))
      rate.value = asTyped(rateText(now.rate));
    optimizers.press(now.optimizer);
    sentence.replaceChildren(
      ...fill(t("teach.says"), {
        source: h("bdi", {}, question.source),
        output: h("b", {}, h("bdi", {}, saidOf(trace))),
      }),
    );
  });

  return { element, problem };
}

/**
 * The correction in the form: as somebody changed it, as the model had it, or what it says anyway.
 *
 * @param {import("../../../state/state.js").State & import("../settings.js").Own} state
 * @returns {Draft}
 */
function draftIn({ training: { draft }, question: shown, patient, trace }) {
  const question = patient?.question ?? shown;
  const of = `${question?.model} ${question?.source}`;
  if (draft?.of === of) return draft;
  const { taught, source } = question ?? {};
  const had = taught && taught.source === source ? taught : null;
  return {
    ...((had && parseHow(had.how)) || USUAL_HOW),
    target: had?.target ?? (trace ? saidOf(trace) : ""),
    of,
  };
}

/**
 * What the model wrote itself: without the prompt that it went on from.
 *
 * @param {import("../../../trace/trace.js").Trace} trace
 */
function saidOf({ src, source, translation }) {
  const given = src.length === 0 && translation.startsWith(source) ? source.length : 0;
  return translation.slice(given).trim();
}
