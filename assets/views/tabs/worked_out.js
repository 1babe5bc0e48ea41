/** How one weight came about, on its real numbers. */

import { h } from "../../kit/dom.js";
import { headNumbers, knowsHead } from "../../state/head_numbers.js";
import { problemText } from "../../state/server.js";
import { isAhead } from "../../trace/kinds.js";
import { arithmeticView } from "./arithmetic.js";
import { WORKED_OUT } from "./reveal.js";

/** @typedef {import("../../trace/heads.js").Cell} Cell */
/** @typedef {import("../../trace/trace.js").Trace} Trace */

/** @param {import("../../state/actions.js").Context} context */
export function workedOutView({ store, actions, ask, t, watch }) {
  const note = h("p", { role: "status", class: "quiet", "aria-label": t("worked_out.state") });
  const problem = h("p", { role: "alert" });
  const steps = h("div", { class: "arithmetic" });
  const finished = h("p", { role: "note" }, t("worked_out.finished"));
  const back = h("button", { type: "button", class: "fold", click: actions.unpick });
  back.textContent = t("worked_out.back");
  const root = h(
    "section",
    { id: WORKED_OUT, class: "worked-out", "aria-label": t("tab.worked_out"), tabindex: 0 },
    h("div", { class: "over" }, h("h2", { class: "heading" }, t("tab.worked_out")), back),
    note,
    problem,
    steps,
  );

  let requests = 0;

  async function show() {
    const request = ++requests;
    const { trace, picked } = store.get();
    root.hidden = picked === null;
    problem.textContent = "";
    note.textContent = "";
    if (!trace || !picked || !fits(trace, picked)) {
      steps.replaceChildren();
      note.textContent = t("worked_out.none");
      return;
    }
    const { step, hiding } = store.get();
    const ahead = isAhead(picked.kind, picked.query, step);
    if (ahead && hiding) {
      steps.replaceChildren();
      note.textContent = t("worked_out.hidden");
      return;
    }
    const { kind, layer, head } = picked;
    if (typeof layer === "string" || typeof head === "string") {
      steps.replaceChildren();
      note.textContent = t("worked_out.aggregate");
      return;
    }
    const { question, file } = store.get();
    if (!question) {
      steps.replaceChildren();
      problem.textContent = `${problemText(t, file?.reason ?? undefined)} ${t("file.alone")}`;
      return;
    }
    const cell = { ...picked, layer, head };
    if (!knowsHead(trace, cell)) note.textContent = t("worked_out.waiting");
    const { numbers, error } = await headNumbers(ask, trace, cell);
    if (request !== requests) return; // another cell has been picked meanwhile
    note.textContent = "";
    if (!numbers) {
      problem.textContent = problemText(t, error);
      return;
    }
    // The step may have changed while the numbers were on their way.
    finished.hidden = !isAhead(kind, cell.query, store.get().step);
    steps.replaceChildren(finished, ...arithmeticView(t, trace, cell, numbers));
  }

  watch(["trace", "picked", "hiding"], show);
  watch(["step"], ({ picked, hiding, step }) => {
    if (hiding) show();
    else if (picked) finished.hidden = !isAhead(picked.kind, picked.query, step);
  });
  return root;
}

/** @type {(trace: Trace, cell: Cell) => boolean} */
function fits({ weights }, { kind, query, key, layer, head }) {
  const there = weights[kind];
  if (!there || query >= there.queries || key >= there.keys) return false;
  return !(Number(layer) >= there.layers) && !(Number(head) >= there.heads);
}
