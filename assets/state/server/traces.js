/** Traces, asked for until they are there. */

import { inflated } from "../../trace/inflate.js";
import { parseLarge } from "../../trace/large.js";
import { parseTrace } from "../../trace/trace.js";
import { NO_ANSWER, Refused } from "../problem.js";

/**
 * @param {import("./ask.js").Ask} ask
 * @param {import("../state.js").Question} question
 * @param {number[]} prefix
 * @param {(waiting: import("../state.js").Waiting) => boolean} [waits]  whether to wait on, with so many
 *   before: the place in the queue is kept for whoever asks again
 * @param {AbortSignal} [signal]  nobody wants it any more
 * @param {string[]} [heads]  that come along with a large trace, beside those that it opens with:
 *   "cross.L2H4"
 * @returns {Promise<import("../../trace/trace.js").Trace>}  broken by `Refused`
 */
export async function fetchTrace(
  ask,
  question,
  prefix,
  waits = () => true,
  signal = undefined,
  heads = [],
) {
  const request = { ...question, prefix };
  const traceRequest = { ask: "trace", ...request, ...(heads.length && { heads }) };
  for (;;) {
    const answer = await ask(traceRequest, signal);
    const { trace, guest, large, waiting, error } = answer;
    if (trace && large) {
      return { ...(await parseLarge(/** @type {any} */ (answer))), guest, request };
    }
    if (trace && guest) return { ...parseTrace(/** @type {any} */ (await inflated(trace))), guest };
    if (trace) return parseTrace(trace);
    if (!waiting || !waits(waiting)) throw new Refused(error ?? NO_ANSWER);
  }
}
