/** A view of what an analysis says of the trace: asked for while it is seen, drawn when it is there. */

import { h } from "../../kit/dom.js";
import { problemText } from "../../state/server.js";

/** @typedef {import("../../state/state.js").State} State */

/**
 * @param {import("../../state/actions.js").Context} context  whose `watch` waits to be seen
 * @param {object} analysis
 * @param {string} analysis.name  as the server knows it
 * @param {(state: State) => Record<string, unknown>} [analysis.options]
 * @param {(keyof State)[]} [analysis.keys]  what the options follow, besides the trace
 * @param {(said: any, state: State) => Node[]} analysis.draw  with the trace that it is said of
 */
export function analysisView(
  { store, analyse, t, watch },
  { name, options = () => ({}), keys = [], draw },
) {
  const waiting = h("p", { role: "status", class: "quiet" });
  const problem = h("p", { role: "alert" });
  const drawing = h("div", { class: "analysis" });
  let requests = 0;
  watch(["trace", ...keys], async (state) => {
    if (!state.trace) return;
    const request = ++requests;
    problem.textContent = "";
    waiting.textContent = t("analysis.waiting");
    const { inside, error } = await analyse(name, options(state));
    if (request !== requests) return; // something else has been asked for meanwhile
    waiting.textContent = "";
    problem.textContent = inside ? "" : problemText(t, error);
    drawing.replaceChildren(...(inside ? draw(inside, store.get()) : []));
  });
  return h("div", {}, waiting, problem, drawing);
}
