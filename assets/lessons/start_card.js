/** The card of the first minute: it invites once, and then leads through four moments. */

import { chip, iconButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fill } from "../kit/i18n.js";
import { weightText } from "../kit/numbers.js";
import { spaceAfter } from "../kit/typeset.js";
import { keyTokens } from "../trace/kinds.js";
import { looksOf } from "../trace/sentence.js";
import { wordsAt } from "../trace/steering.js";
import { readingKind } from "../trace/trace.js";
import { subject, word } from "../views/beam/sentence.js";
import { MOMENTS } from "./start_here.js";
import { startPlaces } from "./start_places.js";
import { addressFor } from "./stop.js";

/** @import { Translate } from "../kit/i18n.js" */
/** @import { State } from "../state/state.js" */
/** @import { Choice } from "../trace/choice.js" */
/** @import { Places, Start } from "../trace/first_minute.js" */
/** @import { Trace } from "../trace/trace.js" */

const [, SEE, STEER, OWN] = MOMENTS.keys();

/** @param {import("../state/actions.js").Context} context */
export function startView({ store, actions, t, watch }) {
  const text = h("p", { role: "status", "aria-label": t("start.moment") });
  const progress = h("span", { class: "quiet" });
  const main = chip(act);
  const close = iconButton("close", t("lesson.close"), leave, { kind: "bare small" });
  const acts = h("div", { class: "abreast start-acts" }, progress, main, close);
  const card = h("section", { class: "cluster start", keydown: keys }, text, acts);
  card.ariaLabel = t("lesson.start");

  const { started, places, steers, isNowhere } = startPlaces({ store, actions, watch }, () => {
    draw(store.get());
    follow();
  });

  /** @returns {number | null}  the moment that is shown */
  function now({ lesson } = store.get()) {
    return lesson?.part === "start" ? lesson.at : null;
  }

  /** @param {number} at */
  const goTo = (at) => actions.goToLesson({ part: "start", at });

  function act() {
    const [at, here] = [now(), places()];
    if (at === OWN) actions.goToLesson({ part: "tour", at: 0 });
    else if (at === STEER && here && !isSteered(store.get())) {
      const { trace } = store.get();
      const kind = trace ? readingKind(trace) : "cross";
      actions.steer({ kind, layer: null, head: null, row: here.step, keys: here.elsewhere });
    } else goTo(at === SEE && !steers() ? OWN : at === null ? 0 : at + 1);
  }

  function leave() {
    if (now() === null) actions.greeted();
    else actions.goToLesson(null);
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    leave();
  }

  /** The moment that the page shows already. @type {number | null} */
  let shown = null;
  /** Whether the card's sentence is on its way. */
  let asked = false;

  /** Brings what the moment is about onto the page. */
  function follow() {
    const at = now();
    const { trace, model } = store.get();
    const [start, here] = [started(), places()];
    if (at === null || !trace) {
      shown = null;
      asked = false;
    } else if (!start) {
      if (isNowhere()) actions.goToLesson(null);
    } else if (at === OWN || (here && (at === STEER || !isSteered(store.get())))) {
      asked = false;
      if (shown === at) return;
      shown = at;
      const step = at ? start.step : start.step - 1;
      actions.look(addressFor(MOMENTS[at], trace).replace("{step}", String(step)));
      // The visitor's own sentence is not to be led anywhere.
      if (at === OWN && isSteered(store.get())) actions.putAllBack();
      if (card.closest("[data-ready]")) focusOn(at, main, here !== null);
    } else if (shown !== null && shown <= STEER && !here) goTo(OWN);
    else if (!asked && !start.found) {
      asked = true;
      const { source } = start;
      actions.open({ model, source, sampling: null, interventions: [], taught: null });
    }
  }

  /** @param {State} state */
  function draw(state) {
    const at = now(state);
    const guessing = at === 0;
    document.body.classList.toggle("guessing", guessing);
    card.hidden = !started() || (at === null && (state.lesson !== null || !state.greeting));
    card.classList.toggle("begun", at !== null);
    if (card.hidden) return;
    const texts = at === null ? [t("start.invite")] : momentText(t, at, state, started(), places());
    text.replaceChildren(...texts);
    const [count, place] = steers() ? [MOMENTS.length, at ?? 0] : [OWN, Math.min(at ?? 0, STEER)];
    progress.textContent = at === null ? "" : `${place + 1} / ${count}`;
    const question = at === STEER && isSteered(store.get()) ? "next" : MOMENTS[at ?? 0].question;
    const word = started()?.elsewhere ?? "";
    main.textContent = at === null ? t("lesson.start") : t(`start.${question}`, { word });
  }

  watch(["lesson", "trace", "before", "heads", "guess", "greeting", "model"], draw);
  watch(["lesson", "trace"], follow);
  return card;
}

/** @param {State} state */
function isSteered({ question }) {
  return (question?.interventions.length ?? 0) > 0;
}

/**
 * Where the keyboard is at a moment: among the words that are guessed, on the button, in the box.
 *
 * @type {(at: number, button: HTMLElement, isHere: boolean) => void}  isHere: it is the card's sentence
 */
function focusOn(at, button, isHere) {
  /** @type {HTMLInputElement | null} */
  const box = document.querySelector("#source");
  /** @type {HTMLElement | null} */
  const first = document.querySelector(".source-row [tabindex='0']");
  if (at !== OWN) (at ? button : first)?.focus({ preventScroll: true });
  else if (box && isHere) {
    box.focus();
    box.select();
  }
}

/** @type {(t: Translate, at: number, state: State, start: Start | null | undefined, here: Places | null) => (Node | string)[]} */
function momentText(t, at, state, start, here) {
  const { trace, heads, before } = state;
  const { name } = MOMENTS[at];
  const kind = trace ? readingKind(trace) : "cross";
  const head = heads[kind];
  if (!trace || !here || !start || !head) return at === OWN ? [t("start.own")] : [];
  const tokens = trace.tgt_in.length ? trace.tgt_in : trace.src;
  if (name === "guess") {
    return fill(t(`start.guess.${kind}`), { now: word(tokens[here.step], null) });
  }
  if (name === "see") return seenText(t, state, trace, head, here.step);
  if (name === "own") return [t("start.own")];
  if (!isSteered(state)) {
    return fill(t(start.found ? "start.steer_guest" : "start.steer"), {
      word: word(start.elsewhere, null),
    });
  }
  const was = before?.translation ?? "…";
  const how = was === trace.translation ? "same" : "turned";
  return fill(t(start.found ? `start.${how}_guest` : `start.${how}`), {
    now: h("bdi", {}, h("b", {}, trace.translation)),
    before: h("bdi", {}, was),
  });
}

/** @type {(t: Translate, state: State, trace: Trace, head: Choice, step: number) => (Node | string)[]} */
function seenText(t, { guess }, trace, head, step) {
  const kind = readingKind(trace);
  const [first] = looksOf(trace, kind, head, step)?.words ?? [];
  const { layers = 0, heads = 0 } = trace.weights[kind] ?? {};
  const right = guess !== null && first?.pieces.includes(guess);
  const verdict = guess === null ? "see" : right ? "right" : "other";
  const reads = kind === "encoder_self";
  const seen = fill(t(reads ? `start.${verdict}_encoder` : `start.${verdict}`), {
    head: subject(t, head, true),
    now: word(reads ? trace.src[step] : trace.tgt_out[step], null),
    word: word(first?.label ?? "", null),
    weight: h("strong", {}, weightText(first?.weight ?? 0, { digits: 2 })),
    guess: guess === null ? "" : word(wordsAt(keyTokens(trace, kind), [guess]), null),
  });
  return [...seen, spaceAfter(t("start.see")), t("start.honest", { count: layers * heads })];
}
