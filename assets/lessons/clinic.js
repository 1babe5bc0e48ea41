/** The clinic: a model with a bug, the question which it is, and how that is known. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { awaiting } from "../parts/awaited.js";
import { goToTop } from "../parts/reveal.js";
import { HEALTHY, isExaminable, PATIENTS, patientName } from "../state/patients.js";
import { BUGS } from "./bugs.js";
import { verdictView } from "./verdict.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Patient } from "../state/state.js" */
/** @typedef {typeof BUGS[number]} BugStop */

/** Examined where nobody has given a text. */
const WORD = "headlight";

/** A patient, before anybody knows what it has. */
const PATIENT = { name: "patient", address: "tab=attention" };

/** @type {(patient: Patient) => BugStop} */
const bugOf = ({ at }) => BUGS[BUGS.findIndex(({ name }) => name === PATIENTS[at].bug)];

/** @type {(context: Context) => import("./stop.js").Part} */
export function clinicPart(context) {
  const { store, actions, t, watch } = context;
  const text = h("p");
  const { element: verdict, say } = verdictView(t("clinic.verdict"));
  const options = optionsView(t, diagnose);
  const show = chip(lookThere, t("clinic.look"));

  /** Guessed for the patient that is shown. @type {Set<BugStop>} */
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
   * @param {BugStop} bug
   */
  function diagnose(bug) {
    const patient = here();
    const { trace } = store.get();
    if (!patient || !trace || guessed.has(bug)) return;
    if (isSolved(patient.at) && bug !== bugOf(patient)) return;
    say("");
    const { healthy } = patient;
    judge(bug.judge({ context, healthy }, trace), ({ outcome, values }) => {
      const isMet = outcome === "met";
      say(t(`clinic.${bug.name}.${isMet ? "seen" : "not"}`, values), isMet);
      if (isMet) actions.solve(patientName(patient.at));
      else guessed.add(bug);
      mark();
    });
  }

  function lookThere() {
    const patient = here();
    if (!patient) return;
    actions.look(bugOf(patient).address);
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
    if (unfit) say(null);
    else if (patient?.at !== lesson.at) actions.examine(lesson.at);
    if (patient === shown) return;
    shown = patient;
    guessed = new Set();
    rest();
    say(null);
    mark();
    const admitted = here();
    if (admitted && isSolved(admitted.at)) diagnose(bugOf(admitted));
  }

  watch(["lesson", "trace"], admit);
  return {
    element: h("div", { class: "lesson" }, text, options.element, verdict, show),
    stops: PATIENTS.map(() => PATIENT),
    title: (at) => t("clinic.patient", { number: at + 1 }),
    arrive() {
      const { question, patient } = store.get();
      const original = patient?.question ?? question;
      // From patient to patient people stay where they look.
      if (!patient) actions.look(PATIENT.address);
      if (original && !isExaminable(original.source)) examineHealthy(context, original);
    },
    show: mark,
  };
}

/**
 * The bugs among which the learner chooses.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {(bug: BugStop) => void} choose
 */
function optionsView(t, choose) {
  const marks = BUGS.map(() => h("span", { class: "mark" }));
  const buttons = BUGS.map((bug, i) => {
    const name = h("span", {}, t(`clinic.bug.${bug.name}`));
    return h("button", { class: "guess", click: () => choose(bug) }, name, marks[i]);
  });
  const attributes = { class: "guess-list bugs", role: "group", "aria-label": t("clinic.bugs") };
  return {
    element: h("div", attributes, ...buttons),
    /** @type {(patient: Patient | null, guessed: Set<BugStop>, solved: boolean) => void} */
    mark(patient, guessed, solved) {
      for (const [i, bug] of BUGS.entries()) {
        const right = solved && patient !== null && bugOf(patient) === bug;
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
