/** Analyses of the trace that is shown, asked of the server once each. */

import { NO_ANSWER } from "./server.js";

/** @typedef {import("./server.js").Answer} Answer */
/** @typedef {import("../trace/trace.js").Trace} Trace */

/**
 * What the server says of the trace that is shown, under `inside`, or its `error`.
 *
 * @typedef {(name: string, options?: Record<string, unknown>, signal?: AbortSignal) => Promise<Answer>} Analyse
 *   whoever gives a signal asks alone: with it, the server's work ends
 */

/**
 * @param {import("./store.js").Store<import("./state.js").State>} store
 * @param {import("./server.js").Ask} ask
 * @returns {Analyse}
 */
export function analysing(store, ask) {
  /** @type {WeakMap<Trace, Map<string, Promise<Answer>>>} */
  const known = new WeakMap();
  return (name, options = {}, signal = undefined) => {
    const { question, trace, tree, file } = store.get();
    const branch = tree.find((branch) => branch.trace === trace);
    if (!question || !trace || !branch) {
      return Promise.resolve({ error: file?.reason ?? NO_ANSWER });
    }
    const answers = known.get(trace) ?? new Map();
    known.set(trace, answers);
    const key = JSON.stringify([name, options]);
    if (!answers.has(key)) {
      const request = { ask: "inside", name, options, ...question, prefix: branch.prefix };
      const answer = ask(request, signal).then((answer) => {
        if (answer.error) answers.delete(key); // it may be asked again
        return answer;
      });
      answers.set(key, answer);
    }
    return answers.get(key);
  };
}
