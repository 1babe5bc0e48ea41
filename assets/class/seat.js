/** What a student sees of the class: where it is, what it is asked, what it has answered. */

import { chip, field } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { formView } from "../kit/form.js";
import { codeIn } from "../state/classroom/classroom.js";
import { barsView } from "./bars.js";
import { answerText, labelText, questionText, refusalText } from "./texts.js";

/** @import { Translate } from "../kit/i18n.js" */
/** @import { ClassActions, ClassContext } from "../state/in_class/class_actions.js" */
/** @import { Asked, Classroom, Answer } from "../state/classroom/classroom.js" */

/** Characters that the server takes. */
const MOST_TEXT = 300;

/** @param {ClassContext} context */
export function seatView(context) {
  const { store, classroom, t, watch } = context;
  const status = h("p", { role: "status", "aria-label": t("class.status") });
  const problem = h("p", { role: "alert", class: "problem" });
  const back = chip(classroom.backToClass, t("class.back"));
  const again = chip(() => classroom.join(store.get().classroom.code), t("class.try_again"));
  const leave = chip(classroom.leave, t("class.leave"));
  const content = h("div", { class: "asked" });
  const acts = h("div", { class: "cluster acts" }, back, again, leave);
  const other = codeForm(classroom, t, problem);
  const seat = h(
    "div",
    { class: "seat" },
    h("div", { class: "cluster row" }, status, acts),
    problem,
    other,
    content,
  );

  let drawn = "";
  watch(["classroom", "step", "trace"], (state) => {
    const { role, question, outcome, answer, end, alone, away, code } = state.classroom;
    if (role !== "student") return;
    const text = statusText(t, state.classroom);
    if (status.textContent !== text) status.textContent = text;
    const refused = state.classroom.problem;
    problem.textContent = refused && !end ? refusalText(t, refused) : "";
    back.hidden = !alone || end !== null || away;
    again.hidden = !end || !code || end === "closed" || end === "forgotten";
    other.hidden = !end;
    const now = JSON.stringify([question, outcome, answer, end]);
    if (now === drawn) return;
    drawn = now;
    const focused = content.contains(document.activeElement) && document.activeElement?.textContent;
    content.replaceChildren(
      ...(question && !end ? contentOf(context, question, state.classroom) : []),
    );
    const same = [...content.querySelectorAll("button")].find(
      (each) => each.textContent === focused,
    );
    if (focused) same?.focus();
  });

  return seat;
}

/** @type {(t: Translate, state: Classroom) => string} */
function statusText(t, { code, end, away, alone, view, problem }) {
  if (end === "refused") return refusalText(t, problem);
  if (end) return t(`class.end.${end}`);
  if (away) return t("class.away");
  if (!view) return t("class.waiting", { code });
  const step = new URLSearchParams(view.address).get("step") ?? "1";
  return alone ? t("class.elsewhere", { step: Number(step) }) : t("class.with", { code });
}

/** @type {(context: ClassContext, question: Asked, state: Classroom) => HTMLElement[]} */
function contentOf({ classroom, t }, question, { outcome, answer }) {
  const heading = h("h2", {}, questionText(t, question));
  const own = answer ? [h("p", { class: "own" }, answerText(t, question, answer))] : [];
  if (outcome) return [heading, ...own, ...barsView(t, question.kind, outcome)];
  if (question.kind === "sentence") return [heading, sentenceForm(classroom, t, answer), ...own];
  return [heading, answerForm(classroom, t, question, answer), ...own];
}

/** @type {(classroom: ClassActions, t: Translate, question: Asked, answer: Answer | null) => HTMLElement} */
function answerForm(classroom, t, question, answer) {
  let choice = answer?.choice ?? null;
  const typed = h("input", {
    id: "class-typed",
    maxlength: MOST_TEXT,
    autocomplete: "off",
    input: () => choose(null),
  });
  if (answer?.choice === null) typed.value = answer.text;
  const buttons = question.options.map((option, i) =>
    chip(() => choose(i), labelText(t, question.kind, option)),
  );
  const sure = chip(() => send(true), t("class.am_sure"));
  const unsure = chip(() => send(false), t("class.am_unsure"));

  /** @param {number | null} chosen  null: what was typed */
  function choose(chosen) {
    choice = chosen;
    if (chosen !== null) typed.value = "";
    for (const [i, button] of buttons.entries()) button.ariaPressed = String(i === choice);
    sure.disabled = unsure.disabled = choice === null && !typed.value.trim();
  }

  /** @param {boolean} sure */
  const send = (sure) => classroom.answer({ choice, text: typed.value.trim(), sure });

  choose(choice);
  return h(
    "div",
    { class: "answering" },
    h(
      "div",
      { class: "cluster options", role: "group", "aria-label": t("class.options") },
      ...buttons,
    ),
    question.typed ? field(t("class.or_type"), typed) : null,
    h(
      "div",
      { class: "cluster acts", role: "group", "aria-label": t("class.how_sure") },
      sure,
      unsure,
    ),
  );
}

/** @type {(classroom: ClassActions, t: Translate, answer: Answer | null) => HTMLElement} */
function sentenceForm(classroom, t, answer) {
  const box = h("input", { id: "class-sentence", maxlength: MOST_TEXT, autocomplete: "off" });
  box.value = answer?.text ?? "";
  const act = () => {
    const text = box.value.trim();
    if (text) classroom.answer({ choice: null, text, sure: false });
  };
  return boxForm({ class: "cluster" }, box, t("class.your_sentence"), t("class.send"), act);
}

/** @type {(classroom: ClassActions, t: Translate, problem: HTMLElement) => HTMLElement} */
function codeForm(classroom, t, problem) {
  const attributes = { autocapitalize: "characters", maxlength: 20, size: 8 };
  const box = h("input", { id: "class-code", autocomplete: "off", ...attributes });
  const act = () => {
    const code = codeIn(box.value);
    if (code) classroom.join(code);
    else problem.textContent = t("class.error.no_room");
  };
  return boxForm({ class: "cluster row" }, box, t("class.enter_code"), t("class.enter"), act);
}

/** @type {(attributes: Record<string, unknown>, box: HTMLElement, label: string, button: string, act: () => void) => HTMLElement} */
function boxForm(attributes, box, label, button, act) {
  const send = h("button", { class: "chip", type: "submit" }, button);
  return formView(attributes, act, h("label", { for: box.id }, label), box, send);
}
