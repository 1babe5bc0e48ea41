/** How one weight came about, on its real numbers. */

import { h } from "../../../kit/dom.js";
import { isAhead } from "../../../trace/kinds.js";
import { awaiting } from "../../awaited.js";
import { WORKED_OUT } from "../reveal.js";
import { arithmeticView } from "./arithmetic.js";

/** @typedef {import("../../../trace/choice.js").Cell} Cell */
/** @typedef {import("../../../trace/trace.js").Trace} Trace */

/** @param {import("../../../state/actions.js").Context} context */
export function workedOutView({ store, actions, about, t, watch }) {
  /** @type {Trace | null} */
  let drawn = null;
  const steps = h("div", { class: "arithmetic" });
  const asked = awaiting(t, {
    label: t("worked_out.state"),
    // The last arithmetic stays, while it is of what is shown.
    clear: () => drawn !== store.get().trace && steps.replaceChildren(),
  });
  const finished = h("p", { role: "note" }, t("worked_out.finished"));
  const back = h("button", { class: "fold", click: actions.unpick });
  back.textContent = t("worked_out.back");
  const root = h(
    "section",
    { id: WORKED_OUT, class: "worked-out", "aria-label": t("tab.worked_out"), tabindex: 0 },
    h("div", { class: "over" }, h("h2", { class: "heading" }, t("tab.worked_out")), back),
    asked.waiting,
    asked.problem,
    steps,
  );

  function show() {
    const { trace, picked } = store.get();
    root.hidden = picked === null;
    const why = whyNot(store.get());
    if (!trace || !picked || why) {
      asked.rest();
      steps.replaceChildren();
      asked.waiting.textContent = t(`worked_out.${why}`);
      return;
    }
    const { kind, query } = picked;
    const cell = { ...picked, layer: Number(picked.layer), head: Number(picked.head) };
    asked.show(
      about(trace).head({ kind, layer: cell.layer, head: cell.head }),
      (numbers) => {
        // The step may have changed while the numbers were on their way.
        finished.hidden = !isAhead(kind, query, store.get().step);
        drawn = trace;
        steps.replaceChildren(finished, ...arithmeticView(t, trace, cell, numbers));
      },
      t("worked_out.waiting"),
    );
  }

  watch(["trace", "picked", "hiding"], show);
  watch(["step"], ({ picked, hiding, step }) => {
    if (hiding) show();
    else if (picked) finished.hidden = !isAhead(picked.kind, picked.query, step);
  });
  return root;
}

/**
 * Why no arithmetic is shown.
 *
 * @param {import("../../../state/state.js").State} state
 */
function whyNot({ trace, picked, step, hiding }) {
  if (!trace || !picked || !fits(trace, picked)) return "none";
  if (hiding && isAhead(picked.kind, picked.query, step)) return "hidden";
  const joined = typeof picked.layer === "string" || typeof picked.head === "string";
  return joined ? "aggregate" : null;
}

/** @type {(trace: Trace, cell: Cell) => boolean} */
function fits({ weights }, { kind, query, key, layer, head }) {
  const there = weights[kind];
  if (!there || query >= there.queries || key >= there.keys) return false;
  return !(Number(layer) >= there.layers) && !(Number(head) >= there.heads);
}
