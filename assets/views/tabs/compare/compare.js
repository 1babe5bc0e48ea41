/** What is shown, beside something else: tokens one under the other, and matrices subtracted. */

import { h } from "../../../kit/dom.js";
import { effectOf } from "./effect.js";
import { compareMatrices } from "./matrices.js";
import { otherForm } from "./other.js";
import { compareTokens } from "./tokens.js";

/** @typedef {import("../../../state/state.js").State} State */
/** @typedef {import("../../../trace/comparison.js").Compared} Compared */
/** @typedef {import("../../../trace/tree.js").Branch} Branch */

/** @type {(keyof State)[]}  what is compared with what */
const SIDES = ["trace", "tree", "compared", "before", "other"];

/** The picker's choice of another sentence or model. */
const OTHER = "other";

/** @param {import("../../../state/actions.js").Context} context  whose `watch` waits to be seen */
export function compareView(context) {
  const { store, actions, t, watch } = context;
  const intro = h("p", { class: "quiet" });
  const picker = h("select", { id: "compared-with", change: choose });
  const label = h("label", { for: "compared-with" }, t("compare.with"));
  const said = h("div", { class: "compared-tokens" });
  const matrices = h("div", { class: "compared-matrices" });
  const effect = effectOf(context);
  const { form, traceOf } = otherForm(context, draw);

  /** @type {(branch: Branch) => string} */
  const nameOf = ({ number, forkedFrom }) =>
    forkedFrom ? t("branches.branch", { number }) : t("branches.trunk");

  /** @param {State} state */
  const isChanged = ({ question }) => Boolean(question?.interventions.length);

  /**
   * @param {State} state
   * @returns {Branch | null}
   */
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
   * @returns {Compared | null}  null if there is nothing, or it is on its way
   */
  function comparedIn(state) {
    const { other, before } = state;
    if (other) {
      const one = traceOf(other);
      return one && { one, name: t("compare.then"), before: false };
    }
    const branch = branchIn(state);
    if (branch) return { one: branch.trace, name: nameOf(branch), before: false };
    return before && { one: before, name: t("compare.before_short"), before: true };
  }

  function choose() {
    form.hidden = picker.value !== OTHER;
    if (!form.hidden) return;
    const branch = store.get().tree.find(({ number }) => String(number) === picker.value);
    actions.compareWith(branch ?? null);
  }

  watch(["trace", "tree", "compared", "other"], (state) => {
    const branches = state.tree.filter((branch) => branch.trace !== state.trace);
    picker.replaceChildren(
      ...(isChanged(state) || !branches.length
        ? [h("option", { value: "" }, t(isChanged(state) ? "compare.before" : "compare.nothing"))]
        : []),
      ...branches.map((branch) => h("option", { value: branch.number }, nameOf(branch))),
      h("option", { value: OTHER }, t("compare.other")),
    );
    picker.value = state.other ? OTHER : String(branchIn(state)?.number ?? "");
    form.hidden = state.other === null;
  });

  let drawn = 0;
  async function draw() {
    const now = ++drawn;
    const state = store.get();
    const { trace } = state;
    const found = comparedIn(state);
    const awaited = isChanged(state) || state.other;
    intro.textContent = found || !trace ? "" : t(awaited ? "analysis.waiting" : "compare.none");
    said.replaceChildren(...(trace && found ? [compareTokens(t, found, trace, null)] : []));
    drawMatrices();
    if (!trace || !found?.before) return;
    const told = await effect();
    if (now === drawn && told) said.replaceChildren(compareTokens(t, found, trace, told));
  }

  function drawMatrices() {
    const state = store.get();
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
    ...[form, intro, said, matrices],
  );
}
