/** What the model nearly said instead, at the current step. Choosing another one branches. */

import { h, tokenNode } from "./dom.js";
import { promptLength } from "./tree.js";

/** @param {import("./page.js").Context} context */
export function candidatesView({ store, actions, ask, t, watch }) {
  const list = h("ol", { class: "candidates", "aria-label": t("candidates") });
  const hint = h("p", { class: "quiet" });
  const problem = h("p", { role: "alert", hidden: true });
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  watch(["trace", "tree", "step"], ({ trace, tree, step }) => {
    if (!trace) return;
    const candidates = trace.candidates[step];
    // The rows stay from step to step: making them anew would cost the layout of the whole page.
    const most = Math.max(...trace.candidates.map(({ length }) => length));
    if (rows.length !== most) {
      rows = Array.from({ length: most }, (_, i) => row(() => choose(i)));
      list.replaceChildren(...rows.map(({ item }) => item));
    }
    const given = !ask || step < promptLength(tree);
    for (const [i, { item, button, name, bar, number }] of rows.entries()) {
      item.hidden = i >= candidates.length;
      if (item.hidden) continue;
      const { token, id, probability } = candidates[i];
      const chosen = id === trace.tgt_ids[step];
      button.ariaCurrent = chosen ? "true" : null;
      button.disabled = chosen || given;
      if (name.textContent !== token) name.replaceChildren(tokenNode(token));
      bar.style.setProperty("--share", String(probability));
      number.textContent = probabilityText(probability);
    }
    hint.textContent = ask ? t(given ? "candidates.given" : "candidates.hint") : "";
  });
  watch(["branching"], ({ branching }) => (list.ariaBusy = String(branching)));
  watch(["problem"], ({ problem: refused }) => {
    problem.hidden = refused === null;
    problem.textContent = refused ? t(`error.${refused.code}`, refused.details) : "";
  });

  /** @param {number} index */
  function choose(index) {
    const { trace, step } = store.get();
    const candidate = trace?.candidates[step][index];
    if (candidate) actions.branch(candidate.id);
  }

  return h(
    "section",
    {},
    h("h2", { class: "heading" }, t("candidates.heading")),
    hint,
    list,
    problem,
  );
}

/** @param {() => void} click */
function row(click) {
  const name = h("span", { class: "name" });
  const bar = h("span", { class: "bar" });
  const number = h("span", { class: "number" });
  const button = h("button", { type: "button", click }, name, bar, number);
  return { item: h("li", {}, button), button, name, bar, number };
}

/**
 * Two decimals; what they would make 0.00 is not 0.
 *
 * @param {number} probability
 */
export function probabilityText(probability) {
  return probability < 0.005 ? "<0.01" : probability.toFixed(2);
}
