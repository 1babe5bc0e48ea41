/** The one place that asks about a trace: views know neither requests nor who answers them. */

import { parseHistory } from "../../trace/history.js";
import { parseRun } from "../../trace/run.js";
import { payloadOf } from "../../trace/trace.js";
import { unpackParts } from "../../trace/unpack.js";
import { NO_ANSWER, Refused } from "../problem.js";
import { sharing } from "./sharing.js";
import { fetchTrace } from "./traces.js";

/** @import { Answers, Asked } from "../../trace/answers.d.ts" */
/** @import { Question, State } from "../state.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { History } from "../../trace/history.js" */
/** @import { Correction } from "../../trace/correction.js" */
/** @import { HeadNumbers } from "../../trace/arithmetic.js" */

/**
 * What can be asked about a trace. Each promise is broken by `Refused`, and at once where nobody could
 * answer: the trace is from a file, and no model here would say the same.
 *
 * @typedef {object} About
 * @property {<Name extends keyof Answers>(name: Name, options?: Asked<Name>, signal?: AbortSignal) => Promise<Answers[Name]>} inside
 *   what an analysis says; whoever asks may stop it
 * @property {<Name extends keyof Answers>(name: Name, options?: Asked<Name>) => boolean} knows  whether it has said so
 * @property {(which: {kind: Kind, layer: number, head: number}) => Promise<HeadNumbers>} head
 * @property {() => Promise<Answers["effect"]>} effect  of its changes, on what was said without them
 * @property {(pair: number) => Promise<History>} history  how its model learnt
 * @property {(format: "html" | "npz", layers?: number[]) => Promise<{file: string, layers?: number[]}>} file
 *   base64; of any trace. A page that cannot hold all weights holds those of these layers, and says so
 * @property {(view: "head" | "model", theme: string) => Promise<string>} bertviz  a page; of any trace
 */

/** @typedef {ReturnType<typeof asking>} Asking */

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("./ask.js").Ask} ask
 */
export function asking(store, ask) {
  const { share, keeps } = sharing();

  /**
   * @template Content
   * @param {import("./ask.js").Request} request
   * @param {(answer: import("./ask.js").Answer) => Content | null | undefined} read
   * @param {AbortSignal} [signal]
   * @returns {Promise<Content>}
   */
  async function answer(request, read, signal) {
    const response = await ask(request, signal);
    const content = read(response);
    if (content === null || content === undefined) throw new Refused(response.error ?? NO_ANSWER);
    return content;
  }

  /**
   * How a model learnt.
   *
   * @type {(model: string, pair: number) => Promise<History>}
   */
  function historyOf(model, pair) {
    return share(["history", model], pair, () =>
      answer({ ask: "history", model, pair }, ({ history }) => history && parseHistory(history)),
    );
  }

  /**
   * @param {Trace} trace  that is shown, or stands beside it
   * @returns {About}
   */
  function about(trace) {
    const state = store.get();
    const why = state.file?.reason ?? NO_ANSWER;
    return aboutTrace(trace, questionOf(state, trace), why, { answer, historyOf, share, keeps });
  }

  return {
    about,
    historyOf,
    /**
     * The run of a correction, which may have been undone.
     *
     * @param {string} model
     * @param {Correction} taught
     * @param {AbortSignal} [signal]
     * @returns {Promise<import("../../trace/run.js").Run>}
     */
    runOf: (model, taught, signal = undefined) =>
      share(
        ["correction", model],
        taught,
        (end) =>
          answer(
            { ask: "teach", model, source: taught.source, taught },
            (response) => response.taught && parseRun(response.taught),
            end,
          ),
        signal,
      ),
    /**
     * What is new of a toy that learns from noise.
     *
     * @param {string} toy
     * @param {number} after  how many of its moments are known
     * @param {AbortSignal} signal
     */
    noise: (toy, after, signal) =>
      answer({ ask: "noise", toy, after }, ({ noise }) => noise, signal),
    /**
     * What a model's makers say of it; `in_short` in other languages, where they do.
     *
     * @param {string} model
     * @returns {Promise<{card: string, in_short?: Record<string, string>}>}
     */
    cardOf: (model) =>
      answer({ ask: "card", model }, ({ card, in_short }) =>
        card === undefined ? null : { card, in_short },
      ),
    /**
     * Another trace, to stand beside the one that is shown.
     *
     * @param {Question} question
     * @param {number[]} [prefix]
     * @returns {Promise<Trace>}
     */
    traceOf: (question, prefix = []) =>
      share([question, prefix], "trace", () => fetchTrace(ask, question, prefix)),
  };
}

/**
 * @typedef {object} Asker
 * @property {Answering} answer
 * @property {(model: string, pair: number) => Promise<History>} historyOf
 * @property {ReturnType<typeof sharing>["share"]} share
 * @property {ReturnType<typeof sharing>["keeps"]} keeps
 */

/**
 * @typedef {<Content>(request: import("./ask.js").Request, read: (answer: import("./ask.js").Answer) => Content | null | undefined, signal?: AbortSignal) => Promise<Content>} Answering
 */

/**
 * @param {Trace} trace
 * @param {(Question & {prefix: number[]}) | null} question  which somebody here would answer with the trace
 * @param {import("../problem.js").Problem} why  nobody would, where it is null
 * @param {Asker} asker
 * @returns {About}
 */
function aboutTrace(trace, question, why, { answer, historyOf, share, keeps }) {
  /** @type {<Content>(ask: (question: Question & {prefix: number[]}) => Promise<Content>) => Promise<Content>} */
  const whereKnown = async (ask) => {
    if (!question) throw new Refused(why);
    return ask(question);
  };
  /** @type {Answering} */
  const once = (request, read, signal) =>
    whereKnown((question) =>
      share(
        [trace.checkpoint, question],
        request,
        (end) => answer({ ...question, ...request }, read, end),
        signal,
      ),
    );
  /** What nobody here would give goes along. */
  const itself = () => question ?? { trace: payloadOf(trace) };
  return {
    inside: (name, options = undefined, signal = undefined) =>
      once({ ask: "inside", name, options: options ?? {} }, ({ inside }) => inside, signal),
    knows: (name, options) =>
      question !== null &&
      keeps([trace.checkpoint, question], { ask: "inside", name, options: options ?? {} }),
    head: (which) =>
      once(
        { ask: "worked_out", ...which, target: trace.tgt_ids },
        ({ worked_out: packed }) => packed && unpackParts(packed),
      ),
    effect: () =>
      whereKnown(({ interventions }) =>
        once(
          { ask: "inside", name: "effect", interventions: [], options: { interventions } },
          ({ inside }) => inside,
        ),
      ),
    history: (pair) => whereKnown(({ model }) => historyOf(model, pair)),
    file: (format, layers) =>
      answer({ ask: "file", format, ...itself(), ...(layers && { layers }) }, ({ file, layers }) =>
        file === undefined ? null : { file, ...(layers && { layers }) },
      ),
    bertviz: (view, theme) =>
      answer({ ask: "bertviz", view, theme, ...itself() }, ({ bertviz }) => bertviz),
  };
}

/**
 * What somebody here would answer with this very trace; null if nobody would.
 *
 * @type {(state: State, trace: Trace) => (Question & {prefix: number[]}) | null}
 */
function questionOf({ question, tree, patient }, trace) {
  // The clinic has another model's trace over the tokens of this one.
  if (trace === patient?.healthy) return { ...patient.question, prefix: trace.tgt_ids };
  const branch = tree.find((one) => one.trace === trace);
  return question && branch ? { ...question, prefix: branch.prefix } : null;
}
