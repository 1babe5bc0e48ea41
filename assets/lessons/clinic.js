/** The clinic: a model with a bug, the question which it is, and how that is known. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { awaiting } from "../parts/awaited.js";
import { goToTop } from "../parts/reveal.js";
import { BUGS, HEALTHY, isExaminable, PATIENTS, patientName } from "../state/patients.js";
import { SIGNS } from "./signs.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Bug } from "../state/patients.js" */
/** @import { Patient } from "../state/state.js" */

/**
 * Where each bug is best seen.
 *
 * @type {Record<Bug, string>}
 */
const PLACES = {
  causal: "tab=attention&kind=decoder_self&decoder_self=L1H1",
  inverted: "tab=attention&kind=decoder_self&decoder_self=L1H1",
  scale: "tab=attention&kind=encoder_self&encoder_self=L1H1&cell=encoder_self.L1H1-1-1&frame=scale",
  positions: "tab=attention&kind=encoder_self&encoder_self=L1H1",
  mixed: "tab=attention&kind=encoder_self&encoder_self=L1H1",
  unshifted: "tab=attention&step=3&kind=decoder_self&decoder_self=mean",
};

/** Examined where nobody has given a text. */
const WORD = "headlight";

/** Where a patient is looked at first. */
const ATTENTION = "tab=attention";

/** @type {(context: Context) => import("./stops.js").Part} */
export function clinicPart(context) {
  const { store, actions, t, watch } = context;
  const text = h("p");
  const verdict = h("p", { role: "status", class: "judged", "aria-label": t("clinic.verdict") });
  const options = optionsView(t, diagnose);
  const show = chip(lookThere, t("clinic.look"));

  /** Guessed for the patient that is shown. @type {Set<Bug>} */
  let guessed = new Set();
  /** @type {Patient | null} */
  let shown = null;
  const { show: judge, rest } = awaiting(t, { waiting: verdict, problem: verdict });

  const here = () => {
    const { lesson, patient } = store.get();
    return lesson?.part === "clinic" && patient?.at === lesson.at ? patient : null;
  };
  /** @param {number} at */
  const isSolved = (at) => store.get().solved.includes(patientName(at));

  function mark() {
    const patient = here();
    const solved = patient !== null && isSolved(patient.at);
    show.hidden = !solved;
    options.mark(patient, guessed, solved);
  }

  /**
   * Shows what the numbers say of this bug.
   *
   * @param {Bug} bug
   */
  function diagnose(bug) {
    const patient = here();
    const { trace } = store.get();
    if (!patient || !trace || guessed.has(bug)) return;
    if (isSolved(patient.at) && bug !== PATIENTS[patient.at].bug) return;
    verdict.hidden = false;
    verdict.classList.remove("met");
    const { healthy } = patient;
    judge(SIGNS[bug]({ context, trace, healthy }), ({ present, values }) => {
      verdict.textContent = t(`clinic.${bug}.${present ? "seen" : "not"}`, values);
      verdict.classList.toggle("met", present);
      if (present) actions.solve(patientName(patient.at));
      else guessed.add(bug);
      mark();
    });
  }

  function lookThere() {
    const patient = here();
    if (!patient) return;
    actions.look(PLACES[PATIENTS[patient.at].bug]);
    goToTop();
  }

  /** The healthy model gives way to the patient, whenever another text is shown. */
  function admit() {
    const { lesson, trace, question, patient } = store.get();
    if (lesson?.part !== "clinic" || !trace || !question) return;
    const original = patient?.question ?? question;
    if (original.model !== HEALTHY || original.taught) {
      if (actions.modelOf(HEALTHY)) examineHealthy(context, original);
      return;
    }
    const unfit = !isExaminable(original.source);
    text.textContent = t(unfit ? "clinic.unfit" : "clinic.text");
    options.element.hidden = unfit;
    if (unfit) verdict.hidden = true;
    else if (patient?.at !== lesson.at) actions.examine(lesson.at);
    if (patient === shown) return;
    shown = patient;
    guessed = new Set();
    rest();
    verdict.hidden = true;
    mark();
    const admitted = here();
    if (admitted && isSolved(admitted.at)) diagnose(PATIENTS[admitted.at].bug);
  }

  watch(["lesson", "trace"], admit);
  return {
    element: h("div", { class: "lesson" }, text, options.element, verdict, show),
    title: (at) => t("clinic.patient", { number: at + 1 }),
    address: () => ATTENTION,
    arrive() {
      const { question, patient } = store.get();
      const original = patient?.question ?? question;
      // From patient to patient people stay where they look.
      if (!patient) actions.look(ATTENTION);
      if (original && !isExaminable(original.source)) examineHealthy(context, original);
    },
    show: mark,
  };
}

/**
 * The bugs among which the learner chooses.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {(bug: Bug) => void} choose
 */
function optionsView(t, choose) {
  const marks = BUGS.map(() => h("span", { class: "said" }));
  const buttons = BUGS.map((bug, i) => {
    const name = h("span", {}, t(`clinic.bug.${bug}`));
    return h("button", { class: "guess", click: () => choose(bug) }, name, marks[i]);
  });
  const attributes = { class: "guess-list bugs", role: "group", "aria-label": t("clinic.bugs") };
  return {
    element: h("div", attributes, ...buttons),
    /** @type {(patient: Patient | null, guessed: Set<Bug>, solved: boolean) => void} */
    mark(patient, guessed, solved) {
      for (const [i, bug] of BUGS.entries()) {
        const right = solved && patient !== null && PATIENTS[patient.at].bug === bug;
        const button = buttons[i];
        button.disabled = patient === null; // it is on its way
        button.ariaDisabled = solved || guessed.has(bug) ? "true" : null;
        button.classList.toggle("right", right);
        button.classList.toggle("chosen", guessed.has(bug));
        marks[i].textContent = right ? "✓" : guessed.has(bug) ? "✗" : "";
      }
    },
  };
}

/**
 * A person comes with a sentence of another model, perhaps, and gets it back on leaving.
 *
 * @type {(context: Context, question: import("../state/state.js").Question) => void}
 */
function examineHealthy({ actions }, question) {
  actions.lend(question);
  // A card may have no examples, or none that the toy can be examined on.
  const texts = [question.source, ...actions.examplesOf(HEALTHY), WORD];
  const source = texts.find(isExaminable) ?? WORD;
  actions.open({ model: HEALTHY, source, sampling: null, interventions: [], taught: null });
}
