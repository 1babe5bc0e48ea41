/** Asking the server, which may refuse, fail or be gone. */

import { PROTOCOL } from "../../trace/protocol.js";

/** @typedef {{code: string, details: Record<string, string | number>}} Problem */

/**
 * What was asked for, or a problem.
 *
 * @typedef {object} Answer
 * @property {import("../../trace/trace.js").TracePayload} [trace]
 * @property {any} [inside]  what an analysis says; each is read where it is drawn
 * @property {import("../../trace/history.js").HistoryPayload} [history]
 * @property {string} [file]  base64
 * @property {string} [bertviz]  a page
 * @property {string} [card]  Markdown
 * @property {import("../../trace/arithmetic.js").PackedNumbers} [worked_out]
 * @property {{models: string[], here: Here[], download: Download | null}} [offers]
 * @property {Listing} [listing]
 * @property {Download | null} [download]
 * @property {any} [models]  all that are installed, as the page's first answer has them
 * @property {import("../../trace/course.js").CoursePayload} [taught]
 * @property {import("../../trace/noise.js").News} [noise]
 * @property {string} [kept]  the name of a checkpoint
 * @property {Waiting} [waiting]  instead of a trace that takes long: ask again for it
 * @property {Problem} [error]
 */

/** @typedef {{name: string, origin: string, size: number, license: string}} Here  a downloaded model */
/** @typedef {{size: number, license: string}} Listing  what the hub says of a model */

/**
 * @typedef {object} Download
 * @property {string} model  on the hub
 * @property {"asking" | "fetching" | "installing" | "measuring" | "done" | "failed"} stage
 * @property {number} received  bytes
 * @property {number} total  bytes; 0 until it is known
 * @property {string} name  of the installed model, once it is done
 * @property {Problem} [error]
 */

/** @typedef {{ahead: number, seconds: number}} Waiting  requests that are answered before */

/** @typedef {{ask: string} & Record<string, unknown>} Request */
/** @typedef {(request: Request, signal?: AbortSignal) => Promise<Answer>} Ask  until it is aborted */

/** @type {Problem} */
export const NO_ANSWER = { code: "no_answer", details: {} };

/** What was asked for cannot be had. */
export class Refused extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * Why something was refused; any other error is a fault of the page's, and stays one.
 *
 * @param {unknown} error
 * @returns {Problem}
 */
export function problemOf(error) {
  if (error instanceof Refused) return error.problem;
  throw error;
}

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

/**
 * A problem as people read it.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Problem} [problem]
 */
export function problemText(t, { code, details } = NO_ANSWER) {
  return t(`error.${code}`, details);
}
