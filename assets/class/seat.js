/** What a student sees of the class: where it is, what it is asked, what it has said. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { formView } from "../kit/form.js";
import { codeIn } from "../state/classroom/classroom.js";
import { barsView } from "./bars.js";
import { labelText, questionText, refusalText, saidText } from "./texts.js";

/** @import { ClassContext } from "../state/in_class/class_actions.js" */
/** @import { Asked, Classroom, Said } from "../state/classroom/classroom.js" */

/** Characters that the server takes. */
const MOST_TEXT = 300;

/** @param {ClassContext} context */
export function seatView({ store, classroom, t, watch }) {
  const status = h("p", { role: "status", "aria-label": t("class.status") });
  const problem = h("p", { role: "alert", class: "problem" });
  const back = chip(classroom.backToClass, t("class.back"));
  const again = chip(() => classroom.join(store.get().classroom.code), t("class.try_again"));
  const leave = chip(classroom.leave, t("class.leave"));
  const asked = h("div", { class: "asked" });
  const acts = h("div", { class: "acts" }, back, again, leave);
  const other = codeForm();
  const seat = h(
    "div",
    { class: "seat" },
    h("div", { class: "row" }, status, acts),
    problem,
    other,
    asked,
  );

  let drawn = "";
  watch(["classroom", "step", "trace"], (state) => {
    const { role, question, outcome, said, end, alone, away, code } = state.classroom;
    if (role !== "student") return;
    const text = statusText(state.classroom);
    if (status.textContent !== text) status.textContent = text;
    const refused = state.classroom.problem;
    problem.textContent = refused && !end ? refusalText(t, refused) : "";
    back.hidden = !alone || end !== null || away;
    again.hidden = !end || !code || end === "closed" || end === "forgotten";
    other.hidden = !end;
    const now = JSON.stringify([question, outcome, said, end]);
    if (now === drawn) return;
    drawn = now;
    const focused = asked.contains(document.activeElement) && document.activeElement?.textContent;
    asked.replaceChildren(...(question && !end ? contentOf(question, state.classroom) : []));
    const same = [...asked.querySelectorAll("button")].find((each) => each.textContent === focused);
    if (focused) same?.focus();
  });

  /** @param {Classroom} state */
  function statusText({ code, end, away, alone, view, problem }) {
    if (end === "refused") return refusalText(t, problem);
    if (end) return t(`class.end.${end}`);
    if (away) return t("class.away");
    if (!view) return t("class.waiting", { code });
    const step = new URLSearchParams(view.address).get("step") ?? "1";
    return alone ? t("class.elsewhere", { step: Number(step) }) : t("class.with", { code });
  }

  /** @type {(question: Asked, state: Classroom) => HTMLElement[]} */
  function contentOf(question, { outcome, said }) {
    const heading = h("h2", {}, questionText(t, question));
    const own = said ? [h("p", { class: "own" }, saidText(t, question, said))] : [];
    if (outcome) return [heading, ...own, ...barsView(t, question.kind, outcome)];
    if (question.kind === "sentence") return [heading, sentenceForm(said), ...own];
    return [heading, answerForm(question, said), ...own];
  }

  /** @type {(question: Asked, said: Said | null) => HTMLElement} */
  function answerForm(question, said) {
    let choice = said?.choice ?? null;
    const typed = h("input", {
      id: "class-typed",
      maxlength: MOST_TEXT,
      autocomplete: "off",
      input: () => choose(null),
    });
    if (said?.choice === null) typed.value = said.text;
    const buttons = question.options.map((option, i) =>
      h("button", { class: "chip", click: () => choose(i) }, labelText(t, question.kind, option)),
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
      h("div", { class: "options", role: "group", "aria-label": t("class.options") }, ...buttons),
      question.typed
        ? h("div", { class: "field" }, h("label", { for: typed.id }, t("class.or_type")), typed)
        : null,
      h("div", { class: "acts", role: "group", "aria-label": t("class.how_sure") }, sure, unsure),
    );
  }

  /** @param {Said | null} said */
  function sentenceForm(said) {
    const box = h("input", { id: "class-sentence", maxlength: MOST_TEXT, autocomplete: "off" });
    box.value = said?.text ?? "";
    const send = h("button", { class: "chip", type: "submit" }, t("class.send"));
    const act = () => {
      const text = box.value.trim();
      if (text) classroom.answer({ choice: null, text, sure: false });
    };
    return formView({}, act, h("label", { for: box.id }, t("class.your_sentence")), box, send);
  }

  function codeForm() {
    const box = h("input", {
      id: "class-code",
      autocomplete: "off",
      autocapitalize: "characters",
      maxlength: 20,
      size: 8,
    });
    const enter = h("button", { class: "chip", type: "submit" }, t("class.enter"));
    const act = () => {
      const code = codeIn(box.value);
      if (code) classroom.join(code);
      else problem.textContent = t("class.error.no_room");
    };
    return formView(
      { class: "row" },
      act,
      h("label", { for: box.id }, t("class.enter_code")),
      box,
      enter,
    );
  }

  return seat;
}
