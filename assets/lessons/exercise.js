/** An exercise: what to do on the page, a hint, and what the judge says of what is done. */

import { h } from "../kit/dom.js";
import { KINDS } from "../trace/kinds.js";
import { EXERCISES } from "./exercises.js";
import { addressFor } from "./stop.js";
import { verdictView } from "./verdict.js";

/** @import { Trace } from "../trace/trace.js" */

/** Codes that several judges say. */
const SHARED = ["no_encoder", "one_head"];

/** @type {(context: import("../state/actions.js").Context) => import("./stop.js").Part} */
export function exercisePart({ store, actions, t, watch }) {
  const text = h("p");
  const hint = h("p");
  const more = h("details", {}, h("summary", {}, t("exercise.hint")), hint);
  const verdict = verdictView(t("exercise.verdict"));

  /** @type {Trace | null} */
  let earlier = null;
  /** @type {Trace | null} */
  let last = null;
  /** @type {number | null}  the exercise that is asked; until then, what is large is not an answer */
  let exercise = null;
  /** The state that was judged before. @type {Pick<import("../state/state.js").State, "heads" | "kind"> | null} */
  let seen = null;
  /** @type {import("../trace/kinds.js").Kind | null} */
  let chosen = null;

  /**
   * The kind whose head was chosen last: on a wide page all kinds stand side by side.
   *
   * @param {Pick<import("../state/state.js").State, "heads" | "kind">} state
   */
  function chosenKind({ heads, kind }) {
    const changed = KINDS.filter((one) => seen && seen.heads[one] !== heads[one]);
    if (kind !== seen?.kind) chosen = kind;
    else if (changed.length === 1) [chosen] = changed;
    seen = { heads, kind };
    return chosen ?? kind;
  }

  /** @param {Trace | null} trace */
  function remember(trace) {
    if (!trace || trace.interventions?.length || trace.prefix_length > 0) return;
    if (last?.model !== trace.model) earlier = null;
    else if (last.source !== trace.source) earlier = last;
    last = trace;
  }

  function look() {
    const state = store.get();
    const { lesson, trace } = state;
    if (lesson?.part !== "exercise" || lesson.at !== exercise) exercise = null;
    if (lesson === null || exercise === null || !trace) return;
    const { name, judge } = EXERCISES[lesson.at];
    const judged = judge({ ...state, kind: chosenKind(state), earlier }, trace);
    if (!judged) return verdict.say(null);
    const { outcome, values = {} } = judged;
    if (values.kind) values.kind = t(`${values.kind}.short`);
    verdict.say(
      t(SHARED.includes(outcome) ? `exercise.${outcome}` : `exercise.${name}.${outcome}`, values),
      outcome === "met",
    );
    if (outcome === "met") actions.solve(`e${lesson.at + 1}`);
  }

  watch(["trace"], ({ trace }) => remember(trace));
  watch(["trace", "before", "heads", "kind", "picked", "tree", "lesson"], look);
  return {
    element: h("div", { class: "lesson" }, text, more, verdict.element),
    stops: EXERCISES,
    title: (at) => t(`exercise.${EXERCISES[at].name}.title`),
    arrive(at, trace) {
      more.open = false;
      actions.look(addressFor(EXERCISES[at], trace));
    },
    show(at, { src, tgt_in }) {
      const { name } = EXERCISES[at];
      // Where heads rest, a model of one tower has one place for.
      const form = src.length && tgt_in.length ? "" : src.length ? "_encoder" : "_decoder";
      const variant = name === "rests" ? form : "";
      const ends = { end: src.at(-1) ?? "", start: tgt_in[0] ?? "" };
      text.textContent = t(`exercise.${name}.text${variant}`, ends);
      hint.textContent = t(`exercise.${name}.hint`);
      exercise = at;
      seen = chosen = null;
      look();
    },
  };
}
