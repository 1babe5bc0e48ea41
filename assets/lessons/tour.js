/** A stop of the tour: a sentence, the formula with its numbers, something to try, a question. */

import { h } from "../kit/dom.js";
import { awaiting } from "../parts/awaited.js";
import { FORMULAS } from "./formulas.js";
import { clearestHead } from "./numbers.js";
import { askView } from "./predict.js";
import { addressFor } from "./stop.js";
import { TOUR } from "./tour_stops.js";

/** What is worded otherwise of one tower alone, of an encoder alone, and of any model that is not ours. */
const ALONE = ["cross.text", "cross.attempt", "heads.attempt"];
const OF_ENCODERS = ["mask.text", "mask.attempt"];
const OF_GUESTS = ["heads.text", "next.text"];

/** Stops whose formula is filled in from the trace alone: of a guest there is no other. */
const PLAIN = ["tokens", "mask", "sinks", "induction"];

/** What is done by the head that a stop is about more than by any other. @type {Record<string, "first" | "induction">} */
const CLEAREST = { sinks: "first", induction: "induction" };

/** @type {(context: import("../state/actions.js").Context) => import("./stop.js").Part} */
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
    return lesson?.part === "tour" ? TOUR[lesson.at] : null;
  };

  const problem = h("p");
  const { show } = awaiting(t, { problem, clear: () => formula.replaceChildren(problem) });
  function fillIn() {
    const { trace, step } = store.get();
    const here = stop();
    if (!trace || !here) return;
    if (trace.guest && !PLAIN.includes(here.name)) return formula.replaceChildren();
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
    stops: TOUR,
    title: (at) => t(`tour.${TOUR[at].name}.title`),
    arrive(at, trace) {
      const last = trace.tgt_in.length - 1;
      actions.look(addressFor(TOUR[at], trace));
      const role = CLEAREST[TOUR[at].name];
      const clearest = role && clearestHead(trace, role);
      if (clearest) actions.enlarge("decoder_self", clearest.head);
      const { hiding, step } = store.get();
      if (hiding && step >= last) actions.goTo(Math.max(0, last - 1));
    },
    show(at) {
      const { name } = TOUR[at];
      text.textContent = wording(`${name}.text`);
      const how = wording(`${name}.attempt`);
      attempt.replaceChildren(h("strong", {}, t("tour.try")), ` ${how}`);
      own.hidden = at > 0;
      formula.replaceChildren();
      question.show(TOUR[at]);
      fillIn();
    },
  };
}
