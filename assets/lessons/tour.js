/** A stop of the tour: a sentence, the formula with its numbers, something to try, a question. */

import { h } from "../kit/dom.js";
import { awaiting } from "../parts/awaited.js";
import { FORMULAS } from "./formulas.js";
import { askView } from "./predict.js";
import { addressFor, STOPS, stopSuits } from "./stops.js";

/** @type {(context: import("../state/actions.js").Context) => import("./stops.js").Part} */
export function tourPart(context) {
  const { store, actions, t, watch } = context;
  const text = h("p");
  const formula = h("div", { class: "tour-formula", role: "status" });
  formula.ariaLabel = t("tour.formula");
  const attempt = h("p");
  const own = h("p", { class: "quiet" }, t("tour.own"));
  const question = askView(context);

  const stop = () => {
    const { lesson } = store.get();
    return lesson?.part === "tour" ? STOPS[lesson.at] : null;
  };

  const problem = h("p");
  const { show } = awaiting(t, { problem, clear: () => formula.replaceChildren(problem) });
  function fillIn() {
    const { trace, step } = store.get();
    const here = stop();
    if (!trace || !here) return;
    if (trace.guest && !here.plain) return formula.replaceChildren();
    show(FORMULAS[here.name](context, trace, step), (lines) =>
      formula.replaceChildren(
        ...lines.map((line) => h("p", {}, line)),
        ...(trace.interventions?.length ? [h("p", { class: "quiet" }, t("tour.changed"))] : []),
      ),
    );
  }

  watch(["step"], fillIn);
  return {
    element: h("div", { class: "lesson" }, text, formula, attempt, question.element, own),
    title: (at) => t(`tour.${STOPS[at].name}.title`),
    suits: (at, trace) => stopSuits(STOPS[at], trace),
    address: (at, trace) => addressFor(STOPS[at], trace),
    arrive(at, trace) {
      const stop = STOPS[at];
      const last = trace.tgt_in.length - 1;
      actions.look(addressFor(stop, trace));
      if (stop.ahead && store.get().step >= last) actions.goTo(Math.max(0, last - 1));
    },
    look: (at) => STOPS[at].look,
    show(at, trace) {
      const { name } = STOPS[at];
      const alone = !trace.weights.cross;
      text.textContent = alone && name === "cross" ? t("tour.cross.alone") : t(`tour.${name}.text`);
      const otherwise = alone && (name === "heads" || name === "cross");
      const how = t(`tour.${name}.${otherwise ? "attempt_alone" : "attempt"}`);
      attempt.replaceChildren(h("strong", {}, t("tour.try")), ` ${how}`);
      own.hidden = at > 0;
      formula.replaceChildren();
      question.show(name);
      fillIn();
    },
  };
}
