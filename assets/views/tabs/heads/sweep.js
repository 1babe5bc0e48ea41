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
  /** @type {AbortController | null} */
  let running = null;

  const start = h("button", { type: "button", class: "chip", click: run }, t("heads.sweep"));
  const cancel = h("button", { type: "button", class: "chip", hidden: true, click: stop });
  cancel.textContent = t("heads.cancel");
  const bar = h("progress", { hidden: true, "aria-label": t("heads.sweep") });
  const problem = h("span", { role: "alert" });

  /** With the request, the server's work ends, too. */
  function stop() {
    running?.abort();
    running = null;
    cancel.hidden = bar.hidden = true;
    follow();
  }

  /**
   * Whoever turns to something else waits no more. `watch` would not see it: this is hidden then.
   *
   * @param {AbortSignal} signal
   */
  function stopOnceLeft(signal) {
    const keys = /** @type {const} */ (["trace", "tab", "language"]);
    const before = store.get();
    store.watch(
      [...keys],
      (state) => keys.some((key) => state[key] !== before[key]) && stop(),
      signal,
    );
  }

  function follow() {
    const { trace } = store.get();
    start.hidden = !cancel.hidden || !trace || known.has(trace);
  }

  async function run() {
    const { trace } = store.get();
    if (!trace || known.has(trace)) return;
    running = new AbortController();
    const { signal } = running;
    stopOnceLeft(signal);
    const kinds = KINDS.filter((kind) => trace.weights[kind]);
    problem.textContent = "";
    bar.max = kinds.length;
    bar.value = 0;
    cancel.hidden = bar.hidden = false;
    start.hidden = true;
    /** @type {Sweep} */
    const found = {};
    for (const kind of kinds) {
      const { inside, error } = await analyse("sweep", { kinds: [kind] }, signal);
      if (signal.aborted) return;
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
