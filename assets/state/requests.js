/** What was asked to be decoded, of which only the last question is waited for. */

import { headName } from "../trace/choice.js";
import { KINDS } from "../trace/kinds.js";
import { problemOf } from "./problem.js";
import { fetchTrace } from "./server/traces.js";
import { shownHeads } from "./shown_heads.js";

/** @import { Question, State } from "./state.js" */
/** @import { Problem } from "./problem.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @typedef {(question: Question, prefix: number[]) => Promise<Trace | Problem>} Decode */

/**
 * What a large trace is to bring along: the heads that the last one of the same guest shows.
 *
 * @type {(state: State, question: Question) => string[]}
 */
function headsToShow(state, { model }) {
  const { trace, question } = state;
  if (!trace?.guest || question?.model !== model) return [];
  return KINDS.filter((kind) => trace.weights[kind]).flatMap((kind) =>
    shownHeads(state, kind).map((choice) => `${kind}.${headName(choice)}`),
  );
}

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server/ask.js").Ask} ask
 */
export function requests(store, ask) {
  /** What waits for an answer to the last question; another question ends it. */
  let waiting = new AbortController();

  /** @returns {AbortSignal}  of a new question */
  function begin() {
    waiting.abort();
    waiting = new AbortController();
    return waiting.signal;
  }

  /** @type {Decode} */
  async function decode(question, prefix) {
    const { signal } = waiting;
    const wait = (/** @type {import("./state.js").Waiting} */ place) => {
      if (!signal.aborted) store.set({ waiting: place });
      return !signal.aborted;
    };
    const heads = headsToShow(store.get(), question);
    const answer = await fetchTrace(ask, question, prefix, wait, signal, heads).catch(problemOf);
    if (!signal.aborted) store.set({ waiting: null });
    return answer;
  }

  return { begin, decode };
}
