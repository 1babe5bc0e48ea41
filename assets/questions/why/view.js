/** What each word says for the token of this step: one reading at a time, in one map, and how far it can be believed. */

import { h } from "../../kit/dom.js";
import { inARow } from "../../kit/typeset.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { haveChanged } from "../../state/store.js";
import { otherCandidate, readingKind } from "../../trace/trace.js";
import { wordControls } from "./controls.js";
import { goldView } from "./gold.js";
import { against, gradients } from "./one_step.js";
import { pictureOf } from "./pictures.js";
import { askWords, knownWords, readHead, readingOf, readingRefused } from "./readings.js";
import { verdictOf } from "./verdict.js";

/** @import { State } from "../../state/state.js" */
/** @import { Candidate, Trace } from "../../trace/trace.js" */
/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Picture } from "./pictures.js" */
/** @import { WordAnswers } from "./readings.js" */
/** @typedef {State & import("./settings.js").Own} Whole */
/** @typedef {import("../../state/actions.js").Context<import("./settings.js").Own>} Context */

/** @param {Context} context */
export function whyView(context) {
  const { store, t, watch } = context;
  const { waiting, problem, show, rest } = awaiting(t, { clear: forget, label: t("words.state") });
  const refused = h("p", { role: "note" });
  const meaning = h("p", { class: "quiet prose" });
  const { element, draw, say } = pictureView(context, meaning);
  const askedChanged = haveChanged();

  watch(["trace", "step", "words", "heads", "lacking"], (state) => {
    const { trace, step, words } = state;
    if (!trace) return;
    const reading = readingOf(trace, words.reading);
    const other = otherCandidate(trace, step, words.other) ?? null;
    const now = isOfOneStep(reading, other) ? [step, other?.id] : [];
    const why = readingRefused(reading, state);
    const head = readHead(trace, reading, state.heads);
    meaning.textContent = meaningOf(t, reading, other !== null);
    if (!askedChanged(trace, reading, words.row, head, why, ...now)) {
      say(); // the same picture, at another step
      return;
    }
    refused.textContent = why ? t(why) : "";
    if (!why) {
      show(pictureAsked(context, trace, state, other), draw);
      return;
    }
    rest();
    draw(null);
  });

  /** What the trace tells alone stays to be seen. */
  function forget() {
    const state = store.get();
    askedChanged(); // it may be asked again
    draw(state.trace && ofAllSteps(t, state.trace, state, null));
  }

  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h("h3", { class: "spoken", id: "why-title" }, t("why.title")), // its fields say it
    ...[wordControls(context), waiting, problem, refused, element],
  );
}

/**
 * The answer at this step, the map, what it means, and what is said below it.
 *
 * @param {Context} context
 * @param {HTMLElement} meaning
 */
function pictureView(context, meaning) {
  const { store, t, watch } = context;
  const answer = h("p", { class: "answer prose" });
  answer.ariaLive = "polite";
  const map = mapView(context);
  const gold = goldView(context);
  const verdict = h("div", { class: "stack verdict prose" });
  /** @type {Picture | null} */
  let shown = null;
  watch(["hiding"], say);

  function say() {
    const { step, hiding } = store.get();
    answer.textContent = shown?.sentence?.(step) ?? "";
    answer.hidden = !answer.textContent;
    verdict.replaceChildren(...(shown?.judged ? verdictOf(t, shown.judged, hiding) : []));
    if (!shown?.complete) return;
    verdict.append(
      h("p", {}, shown.complete),
      h("p", { class: "quiet" }, t("gradients.not")),
      h("p", { class: "quiet" }, t("gradients.sources")),
    );
  }

  return {
    element: h("div", { class: "stack" }, answer, map.element, meaning, gold.element, verdict),
    say,
    /** @param {Picture | null} picture */
    draw(picture) {
      shown = picture;
      map.element.hidden = picture === null;
      if (picture) map.show(picture.map);
      gold.show(picture?.aligned ?? null);
      say();
    },
  };
}

/** @type {(context: Context, trace: Trace, state: Whole, other: Candidate | null) => Promise<Picture | null>} */
async function pictureAsked({ about, t }, trace, state, other) {
  const { step, words } = state;
  const reading = readingOf(trace, words.reading);
  const { inside } = about(trace);
  const question = { trace, step, other };
  if (reading === "gradients") return gradients(t, inside, question);
  if (other && isOfOneStep(reading, other)) return against(t, inside, question, other);
  const answers = await askWords(about(trace), state, reading, readingKind(trace));
  return ofAllSteps(t, trace, state, answers);
}

/** @type {(t: Translate, trace: Trace, state: Whole, answers: WordAnswers | null) => Picture | null} */
function ofAllSteps(t, trace, { words, heads }, answers) {
  const reading = readingOf(trace, words.reading);
  if (reading === "gradients") return null;
  const read = knownWords(trace, reading, heads, answers);
  return read && pictureOf(t, read, reading, words);
}

/**
 * Whether a reading is of the current step alone: what is worked out of one token's logit, and what is asked
 * against another candidate.
 *
 * @type {(reading: Whole["words"]["reading"], other: Candidate | null) => boolean}
 */
function isOfOneStep(reading, other) {
  return reading === "gradients" || (reading === "leave_one_out" && other !== null);
}

/** @type {(t: Translate, reading: Whole["words"]["reading"], other: boolean) => string} */
function meaningOf(t, reading, other) {
  if (!other || reading === "gradients") return t(`words.about.${reading}`);
  if (reading === "leave_one_out") return t("why.hint");
  return inARow([t(`words.about.${reading}`), t("why.others")]);
}
