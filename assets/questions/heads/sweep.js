/** Every head switched off in turn, a kind at a time: asked for by a button, and stopped by one. */

import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { judgedOf } from "../../trace/judged.js";
import { KINDS } from "../../trace/kinds.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Sweep } from "../../trace/statistics.js" */

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {() => void} draw  what is known now
 */
export function sweeping({ store, actions, about, t, watch }, draw) {
  /** @type {{trace: Trace, harms: Sweep} | null} */
  let result = null;
  /** @type {AbortController | null} */
  let running = null;

  const start = chip(() => {
    // What was asked for is what the maps show.
    actions.adjust("measured", { measure: "harm" });
    run();
  }, t("heads.sweep"));
  const cancel = chip(stop, t("heads.cancel"));
  const needs = h("span", { class: "quiet", role: "note" }, t("needs.judged"));
  const bar = h("progress", { "aria-label": t("heads.sweep") });
  const { problem, show, rest } = awaiting(t, {
    clear: end,
    problem: h("span", { role: "alert" }),
  });

  /** With the request, the server's work ends, too. */
  function end() {
    running?.abort();
    running = null;
    follow();
  }

  function stop() {
    rest();
    end();
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
    cancel.hidden = bar.hidden = !running;
    const judged = trace !== null && judgedOf(trace).rows.length > 0;
    start.hidden = running !== null || !judged;
    // Encoders that guess hidden words.
    needs.hidden = judged || !trace?.guest?.masks;
  }

  /** @type {(trace: Trace) => Kind[]} */
  const kindsIn = ({ weights }) => KINDS.filter((kind) => weights[kind]);

  /** @type {(trace: Trace, signal: AbortSignal) => Promise<{trace: Trace, harms: Sweep}>} */
  async function sweep(trace, signal) {
    const kinds = kindsIn(trace);
    bar.max = kinds.length;
    bar.value = 0;
    /** @type {Sweep} */
    const harms = {};
    for (const kind of kinds) {
      harms[kind] = (await about(trace).inside("sweep", { kinds: [kind] }, signal))[kind];
      bar.value++;
    }
    return { trace, harms };
  }

  function run() {
    const { trace } = store.get();
    if (!trace || result?.trace === trace || !judgedOf(trace).rows.length) return;
    running = new AbortController();
    const { signal } = running;
    stopOnceLeft(signal);
    follow();
    show(sweep(trace, signal), (answer) => {
      result = answer;
      stop();
      draw();
    });
  }

  watch(["trace"], ({ trace }) => {
    stop();
    const knows = (/** @type {Kind} */ kind) =>
      trace && about(trace).knows("sweep", { kinds: [kind] });
    if (trace && kindsIn(trace).every(knows)) run();
  });
  return {
    element: h("div", { class: "field sweep" }, start, needs, bar, cancel, problem),
    run,
    /** @param {Trace} trace */
    of: (trace) => (result?.trace === trace ? result.harms : null),
  };
}
