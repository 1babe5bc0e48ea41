/** Asking the server, which may fail or be gone. */

import { PROTOCOL } from "../../trace/protocol.js";
import { NO_ANSWER } from "../problem.js";

/** @import { Problem } from "../problem.js" */
/** @import { Download, Here, Listing, Waiting } from "../state.js" */

/**
 * What was asked for, or a problem.
 *
 * @typedef {object} Answer
 * @property {import("../../trace/trace.js").TracePayload} [trace]
 * @property {import("../../trace/payload.js").GuestCard} [guest]  of the trace's model, if it is one
 * @property {Partial<Record<import("../../trace/kinds.js").Kind, import("../../trace/large.js").ManyHeads>>} [large]
 *   of a trace whose heads come as they are asked for
 * @property {import("../../trace/answers.d.ts").Statistics} [statistics]  of such a one
 * @property {import("../../trace/large.js").SentHeads} [weights]  heads of one
 * @property {number[]} [layers]  that a file holds, where it cannot hold all
 * @property {any} [inside]  what an analysis says; each is read where it is drawn
 * @property {import("../../trace/history.js").HistoryPayload} [history]
 * @property {string} [file]  base64
 * @property {string} [bertviz]  a page
 * @property {string} [card]  Markdown
 * @property {Record<string, string>} [in_short]  the card by language
 * @property {import("../../trace/arithmetic.js").PackedNumbers} [worked_out]
 * @property {{models: string[], here: Here[], download: Download | null}} [offers]
 * @property {Listing} [listing]
 * @property {Download | null} [download]
 * @property {any} [models]  all that are installed, as the page's first answer has them
 * @property {import("../../trace/run.js").RunPayload} [taught]
 * @property {import("../../trace/noise.js").News} [noise]
 * @property {string} [kept]  the name of a checkpoint
 * @property {Waiting} [waiting]  instead of a trace that takes long: ask again for it
 * @property {Problem} [error]
 */

/** @typedef {{ask: string} & Record<string, unknown>} Request */
/** @typedef {(request: Request, signal?: AbortSignal) => Promise<Answer>} Ask  until it is aborted */

/** @type {(ask: string) => boolean}  whether it changes nothing on the server */
const isRepeatable = (ask) => PROTOCOL.requests[ask]?.repeatable ?? false;

/** Milliseconds until then: one replica of many may have ended, and another will answer. */
const PAUSE = 300;

/**
 * @param {(request: Request, signal?: AbortSignal) => Promise<Answer | undefined>} send  to the
 *   server; it may fail
 * @returns {Ask}  which never fails: no answer is one of the problems
 */
export function answering(send) {
  /** @type {(request: Request, signal?: AbortSignal) => Promise<Answer | undefined>} */
  const attempt = async (request, signal) => {
    try {
      return await send(request, signal);
    } catch {
      return undefined;
    }
  };
  return async (request, signal) => {
    const first = await attempt(request, signal);
    if (first || signal?.aborted || !isRepeatable(request.ask))
      return first ?? { error: NO_ANSWER };
    await new Promise((resume) => setTimeout(resume, PAUSE));
    return (await attempt(request, signal)) ?? { error: NO_ANSWER };
  };
}
