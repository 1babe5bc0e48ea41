/** What a teacher does in front of a class: asks in one press, sees how many have answered, reveals. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { menuView } from "../kit/menu.js";
import { wordsIn } from "../trace/whole_words.js";
import { barsView } from "./bars.js";
import { ownQuestionForm } from "./own_question.js";
import { pastMenu } from "./past.js";
import { planView } from "./plan_list.js";
import { sentencesView } from "./sentences.js";
import { questionText, refusalText } from "./texts.js";

/** @import { ClassContext } from "../state/in_class/class_actions.js" */
/** @import { Classroom } from "../state/classroom/classroom.js" */

/** @param {ClassContext} context */
export function deskView(context) {
  const { store, classroom, t, watch } = context;
  const code = chip(() => classroom.invite(true));
  const status = h("p", { role: "status", "aria-label": t("class.status") });
  const problem = h("p", { role: "alert", class: "problem" });
  const own = ownQuestionForm(context);
  const asking = h(
    "div",
    { class: "cluster acts", role: "group", "aria-label": t("class.ask") },
    ...["look", "next", "off"].map((kind) =>
      chip(() => ask(/** @type {"look"} */ (kind)), t(`class.do.${kind}`)),
    ),
    menuView(t("class.do.without"), words, t("class.do.without")),
    own.button,
    chip(() => ask("sentence"), t("class.do.sentence")),
  );
  const reveal = chip(classroom.reveal, t("class.reveal"));
  const goOn = chip(classroom.goOn, t("class.go_on"));
  const content = h("div", { class: "asked" });
  const sentences = sentencesView(context);
  const [plan, finish] = [planView(context), chip(classroom.close, t("class.end_it"))];
  const away = chip(classroom.leave, t("class.put_away"));
  const desk = h(
    "div",
    { class: "desk" },
    h(
      "div",
      { class: "cluster row" },
      code,
      status,
      asking,
      h("div", { class: "cluster acts" }, reveal, goOn),
      h("div", { class: "cluster acts" }, plan.button, pastMenu(context), finish, away),
    ),
    problem,
    own.form,
    content,
    sentences,
    plan.list,
  );

  /** @type {(kind: import("../state/classroom/classroom.js").AskedKind, text?: string) => void} */
  function ask(kind, text = "") {
    classroom.ask({ kind, text, options: [] });
  }

  function words() {
    const { trace } = store.get();
    const words = trace ? wordsIn(trace, trace.src, "src").words : [];
    const items = [...new Set(words)].map((word) => ({
      label: word,
      run: () => ask("without", word),
    }));
    return [{ title: t("class.which_word"), items }];
  }

  let drawn = "";
  watch(["classroom", "trace", "question"], (state) => {
    const { role, question, outcome, end, away: lost } = state.classroom;
    if (role !== "teacher") return;
    code.textContent = t("class.named", { code: state.classroom.code });
    const text = end ? t(`class.end.${end}`) : lost ? t("class.away") : saidOf(state.classroom);
    if (status.textContent !== text) status.textContent = text;
    const refused = state.classroom.problem;
    const unshown = !end && state.trace && !state.question ? t("class.own_file") : "";
    problem.textContent = refused ? refusalText(t, refused) : unshown;
    asking.hidden = question !== null || end !== null;
    reveal.hidden = !question || outcome !== null || question.kind === "sentence" || end !== null;
    goOn.hidden = !question || end !== null;
    code.hidden = end !== null;
    finish.hidden = plan.button.hidden = end !== null;
    away.hidden = end === null;
    const now = JSON.stringify([question, outcome, end]);
    if (now === drawn) return;
    drawn = now;
    own.form.hidden = true;
    content.replaceChildren(
      ...(question && !end ? [h("h2", {}, questionText(t, question))] : []),
      ...(question && outcome && !end ? barsView(t, question.kind, outcome) : []),
    );
    // Where the keyboard was, if what it was on has gone.
    const focused = document.activeElement;
    if (desk.contains(focused) && focused?.closest("[hidden]"))
      (question ? (reveal.hidden ? goOn : reveal) : code).focus();
  });

  /** @param {Classroom} state */
  function saidOf({ people, answered, question, outcome }) {
    const there = t("class.people", { count: people });
    return question && !outcome
      ? `${there} · ${t("class.have_answered", { count: answered })}`
      : there;
  }

  return desk;
}
