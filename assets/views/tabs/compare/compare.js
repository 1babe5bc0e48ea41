/** What is shown, beside something else: tokens one under the other, and matrices subtracted. */

import { h } from "../../../kit/dom.js";
import { awaiting } from "../../awaited.js";
import { branchName } from "../../branches.js";
import { compareMatrices } from "./matrices.js";
import { momentsForm } from "./moments.js";
import { otherForm } from "./other.js";
import { compareTokens } from "./tokens.js";

/** @typedef {import("../../../state/state.js").State} State */
/** @typedef {import("../../../trace/trace.js").Trace} Trace */
/** @typedef {{one: Trace, name: string, before: boolean}} Found */

/** @type {(keyof State)[]}  what is compared with what */
const SIDES = ["trace", "tree", "compared", "before", "other", "moments"];

/** The picker's choice of another sentence or model. */
const OTHER = "other";

/** Its choice of two moments of the model's training. */
const MOMENTS = "moments";

/** @param {import("../../../state/actions.js").Context} context  whose `watch` waits to be seen */
export function compareView(context) {
  const { store, actions, about, t, watch } = context;
  const intro = h("p", { class: "quiet" });
  const picker = h("select", { id: "compared-with", change: choose });
  const label = h("label", { for: "compared-with" }, t("compare.with"));
  const said = h("div");
  const matrices = h("div");
  const effect = awaiting(t);
  const other = otherForm(context, draw);
  const training = momentsForm(context, draw);
  let asking = false; // for another sentence or model, which is not named yet

  /** @param {State} state */
  const isChanged = ({ question, patient }) =>
    Boolean(question?.interventions.length || question?.taught || patient);

  /** @type {(state: State) => import("../../../trace/tree.js").Branch | null} */
  function branchIn(state) {
    const { tree, trace, compared } = state;
    const others = tree.filter((branch) => branch.trace !== trace);
    return (
      others.find((branch) => branch === compared) ??
      (isChanged(state) ? null : (others[0] ?? null))
    );
  }

  /**
   * @param {State} state
   * @returns {Found | null}  null if there is nothing, or it is on its way
   */
  function comparedIn(state) {
    const { before } = state;
    if (state.other) {
      const one = other.traceOf(state.other);
      return one && { one, name: t("compare.then"), before: false };
    }
    const branch = branchIn(state);
    if (branch) return { one: branch.trace, name: branchName(t, branch), before: false };
    return before && { one: before, name: t("compare.before_short"), before: true };
  }

  function choose() {
    asking = picker.value === OTHER;
    if (picker.value === MOMENTS) {
      const { pair } = store.get().training;
      actions.compareMoments({ pair, from: 0, to: null });
      return;
    }
    if (asking) {
      actions.compareMoments(null);
      follow(store.get());
      return;
    }
    const branch = store.get().tree.find(({ number }) => String(number) === picker.value);
    actions.compareWith(branch ?? null);
  }

  /** @param {State} state */
  function follow(state) {
    const branches = state.tree.filter((branch) => branch.trace !== state.trace);
    picker.replaceChildren(
      ...(isChanged(state) || !branches.length
        ? [h("option", { value: "" }, t(isChanged(state) ? "compare.before" : "compare.nothing"))]
        : []),
      ...branches.map((branch) => h("option", { value: branch.number }, branchName(t, branch))),
      h("option", { value: OTHER }, t("compare.other")),
      h("option", { value: MOMENTS }, t("compare.moments")),
    );
    asking &&= !state.other && !state.moments;
    const plain = asking || state.other ? OTHER : String(branchIn(state)?.number ?? "");
    picker.value = state.moments ? MOMENTS : plain;
    other.form.hidden = picker.value !== OTHER;
    training.form.hidden = !state.moments;
  }
  watch(["trace", "tree", "compared", "other", "moments"], follow);

  function draw() {
    const state = store.get();
    const { trace, moments } = state;
    effect.rest();
    drawMatrices();
    if (moments) {
      const told = training.comparedIn(moments);
      intro.textContent = told || !trace || training.failed() ? "" : t("analysis.waiting");
      said.replaceChildren(...(told?.said ?? []));
      return;
    }
    const found = comparedIn(state);
    const awaited = isChanged(state) || state.other;
    const settled = found || !trace || other.failed();
    intro.textContent = settled ? "" : t(awaited ? "analysis.waiting" : "compare.none");
    said.replaceChildren(...(trace && found ? [compareTokens(t, found, trace, null)] : []));
    // Another model has another effect, and so has one that was taught.
    if (!trace || !found?.before || state.patient || !state.question?.interventions.length) return;
    effect.show(
      about(trace).effect(),
      (told) => said.replaceChildren(compareTokens(t, found, trace, told)),
      "",
    );
  }

  function drawMatrices() {
    const state = store.get();
    if (state.moments) {
      const told = training.comparedIn(state.moments);
      matrices.replaceChildren(
        ...(told ? compareMatrices(context, told.compared, told.other, state, told.now) : []),
      );
      return;
    }
    const found = comparedIn(state);
    matrices.replaceChildren(
      ...(state.trace && found ? compareMatrices(context, found, state.trace, state) : []),
    );
  }

  watch(SIDES, draw);
  watch(["kind", "heads", "theme", "coloring"], drawMatrices);
  return h(
    "div",
    { class: "compare" },
    h("p", { class: "field" }, label, picker),
    ...[other.form, training.form, intro, said, matrices],
  );
}
