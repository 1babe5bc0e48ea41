/** A stop of the tour: a sentence, the formula with its numbers, something to try, a question. */

import { h } from "../kit/dom.js";
import { awaiting } from "../parts/awaited.js";
import { addressFor } from "./address_for.js";
import { FORMULAS } from "./formulas.js";
import { clearestHead } from "./numbers.js";
import { askView } from "./predict.js";
import { STOPS, stopSuits } from "./stops.js";

/** What is worded otherwise of one tower alone, of an encoder alone, and of any model that is not ours. */
const ALONE = ["cross.text", "cross.attempt", "heads.attempt"];
const OF_ENCODERS = ["mask.text", "mask.attempt"];
const OF_GUESTS = ["heads.text", "next.text"];

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

  /**
   * The wording for what is shown: for guests, for an encoder or a decoder alone.
   *
   * @param {string} name  of a text
   */
  function wording(name) {
    const { trace } = store.get();
    const { cross, decoder_self: written } = trace?.weights ?? {};
    if (!cross && ALONE.includes(name)) return t(`tour.${name}_alone`);
    if (!written && OF_ENCODERS.includes(name)) return t(`tour.${name}_encoder`);
    if (trace?.guest && OF_GUESTS.includes(name)) return t(`tour.${name}_guest`);
    return t(`tour.${name}`);
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
      const clearest = stop.role && clearestHead(trace, stop.role);
      if (clearest) actions.enlarge("decoder_self", clearest.head);
      if (stop.ahead && store.get().step >= last) actions.goTo(Math.max(0, last - 1));
    },
    look: (at) => STOPS[at].look,
    show(at) {
      const { name } = STOPS[at];
      text.textContent = wording(`${name}.text`);
      const how = wording(`${name}.attempt`);
      attempt.replaceChildren(h("strong", {}, t("tour.try")), ` ${how}`);
      own.hidden = at > 0;
      formula.replaceChildren();
      question.show(name);
      fillIn();
    },
  };
}
