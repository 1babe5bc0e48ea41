/** Every head switched off in turn, a kind at a time: asked for by a button, and stopped by one. */

import { h } from "../../../kit/dom.js";
import { problemText } from "../../../state/server.js";
import { KINDS } from "../../../trace/kinds.js";

/** @typedef {import("../../../trace/trace.js").Trace} Trace */
/** @typedef {import("../../../trace/statistics.js").Sweep} Sweep */

/**
 * @param {import("../../../state/actions.js").Context} context
 * @param {() => void} draw  what is known now
 */
export function sweeping({ store, analyse, t, watch }, draw) {
  /** @type {WeakMap<Trace, Sweep>} */
  const known = new WeakMap();
  let running = 0;

  const start = h("button", { type: "button", class: "chip", click: run }, t("heads.sweep"));
  const cancel = h("button", { type: "button", class: "chip", hidden: true, click: stop });
  cancel.textContent = t("heads.cancel");
  const bar = h("progress", { hidden: true, "aria-label": t("heads.sweep") });
  const problem = h("span", { role: "alert" });

  function stop() {
    running++;
    cancel.hidden = bar.hidden = true;
    follow();
  }

  function follow() {
    const { trace } = store.get();
    start.hidden = !cancel.hidden || !trace || known.has(trace);
  }

  async function run() {
    const { trace } = store.get();
    if (!trace || known.has(trace)) return;
    const mine = ++running;
    const kinds = KINDS.filter((kind) => trace.weights[kind]);
    problem.textContent = "";
    bar.max = kinds.length;
    bar.value = 0;
    cancel.hidden = bar.hidden = false;
    start.hidden = true;
    /** @type {Sweep} */
    const found = {};
    for (const kind of kinds) {
      const { inside, error } = await analyse("sweep", { kinds: [kind] });
      if (mine !== running) return;
      if (!inside) {
        stop();
        problem.textContent = problemText(t, error);
        return;
      }
      found[kind] = inside[kind];
      bar.value++;
    }
    known.set(trace, found);
    stop();
    draw();
  }

  watch(["trace"], stop);
  return {
    element: h("div", { class: "field sweep" }, start, bar, cancel, problem),
    run,
    /** @param {Trace} trace */
    of: (trace) => known.get(trace) ?? null,
  };
}
