/** What is shown, beside something else: tokens one under the other, and matrices subtracted. */

import { branchName } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { compareMatrices } from "../../parts/matrices.js";
import { branchBeside, isChanged } from "../../state/beside.js";
import { onlyReads } from "../../trace/kinds.js";
import { momentsForm } from "./moments.js";
import { otherForm } from "./other.js";
import { compareTokens } from "./tokens.js";

/** @import { State } from "../../state/state.js" */

/** @type {(keyof State)[]}  what is compared with what */
const SIDES = ["trace", "tree", "compared", "before", "other", "moments"];

/** The picker's choice of another sentence or model. */
const OTHER = "other";

/** The choice of two moments of the model's training. */
const MOMENTS = "moments";

/**
 * Of another sentence, or of another branch, nothing was before.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, state: State, one: unknown) => string}
 */
function aboutMatrices(t, { moments, before }, one) {
  return t(moments || one === before ? "compare.matrices" : "compare.matrices_other");
}

/** @param {import("../../state/actions.js").Context<import("../training/settings.js").Own>} context  whose `watch` waits to be seen */
export function compareView(context) {
  const { store, actions, about, t, watch } = context;
  const intro = h("p", { class: "quiet" });
  const picker = h("select", { id: "compared-with", change: choose });
  const label = h("label", { for: "compared-with" }, t("compare.with"));
  const text = h("div");
  const matrices = h("div");
  const effect = awaiting(t);
  const other = otherForm(context, draw);
  const training = momentsForm(context, draw);
  let asking = false; // for another sentence or model, which is not named yet

  /** What the trace is compared with; null if there is nothing, or it is on its way. @param {State} state */
  function oneIn(state) {
    const { before } = state;
    if (state.other) {
      const one = other.traceOf(state.other);
      return one && { one, name: t("compare.then") };
    }
    const branch = branchBeside(state);
    if (branch) return { one: branch.trace, name: branchName(t, branch) };
    return before && { one: before, name: t("compare.before_short") };
  }

  /** @param {State} state */
  function tracesIn(state) {
    const pair = oneIn(state);
    return state.trace && pair && { ...pair, other: state.trace, now: t("compare.now") };
  }

  function choose() {
    asking = picker.value === OTHER;
    if (picker.value === MOMENTS)
      return actions.compareMoments({ pair: store.get().training.pair, from: 0, to: null });
    if (asking) {
      actions.compareMoments(null);
      return follow(store.get());
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
    const plain = asking || state.other ? OTHER : String(branchBeside(state)?.number ?? "");
    picker.value = state.moments ? MOMENTS : plain;
    other.form.hidden = picker.value !== OTHER;
    training.form.hidden = !state.moments;
  }
  watch(["trace", "tree", "compared", "other", "moments"], follow);

  function draw() {
    const state = store.get();
    const { moments } = state;
    effect.rest();
    drawMatrices();
    const [learnt, pair] = moments ? [training.comparedIn(moments)] : [null, tracesIn(state)];
    const settled = learnt || pair || !state.trace || (moments ? training : other).failed();
    const awaited = moments || isChanged(state) || state.other;
    intro.textContent = settled ? "" : awaited ? t("analysis.waiting") : noneYet(t, state);
    text.replaceChildren(...(learnt?.texts ?? []), ...(pair ? [compareTokens(t, pair, null)] : []));
    // Another model has another effect, and so has one that was taught.
    const untaught = !state.patient && state.question?.interventions.length;
    if (!pair || pair.one !== state.before || !untaught) return;
    effect.show(
      about(pair.other).effect(),
      (answer) => text.replaceChildren(compareTokens(t, pair, answer)),
      "",
    );
  }

  function drawMatrices() {
    const state = store.get();
    const pair = state.moments ? training.comparedIn(state.moments) : tracesIn(state);
    const about = pair && aboutMatrices(t, state, pair.one);
    matrices.replaceChildren(...(about ? compareMatrices(context, pair, state, about) : []));
  }

  watch(SIDES, draw);
  watch(["kind", "heads", "theme", "coloring", "arrivals"], drawMatrices);
  return h(
    "div",
    { class: "stack compare" },
    h("p", { class: "field" }, label, picker),
    ...[other.form, training.form, intro, text, matrices],
  );
}

/** What may be changed, so that there is something to compare. @type {(t: import("../../kit/i18n.js").Translate, state: State) => string} */
function noneYet(t, { trace }) {
  return t(onlyReads(trace) ? "compare.none_word" : "compare.none");
}
