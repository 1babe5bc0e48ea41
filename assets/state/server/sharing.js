/** Answers that several may wait for: asked for once, kept while they are likely to be wanted again. */

import { remembering } from "../remembering.js";

/** What is known of so many questions is kept. */
const MOST = 12;

/** @typedef {{answer: Promise<any>, wanted: number, ended: boolean, end: AbortController}} Request */

/**
 * @typedef {<Found>(of: unknown, what: unknown, ask: (signal: AbortSignal) => Promise<Found>, signal?: AbortSignal) => Promise<Found>} Share
 *   what is asked about something, as it was answered before, or as it will be; `ask` runs otherwise.
 *   Whoever aborts a signal wants it no more; with the last who wants it, the request ends
 */

/** @returns {{share: Share, keeps: (of: unknown, what: unknown) => boolean}} */
export function sharing() {
  /** @type {ReturnType<typeof remembering<Map<string, Request>>>} */
  const { recall, remember } = remembering(MOST);
  /** @type {Share} */
  const share = (of, what, ask, signal) => {
    const requests = recall(of) ?? new Map();
    remember(of, requests);
    const key = JSON.stringify(what);
    const request = requests.get(key) ?? begin(ask, () => requests.delete(key));
    requests.set(key, request);
    request.wanted++;
    signal?.addEventListener("abort", () => {
      request.wanted--;
      if (request.wanted > 0 || request.ended) return;
      requests.delete(key);
      request.end.abort();
    });
    return request.answer;
  };
  return {
    share,
    /** Whether it is answered. */
    keeps: (of, what) => recall(of)?.get(JSON.stringify(what))?.ended ?? false,
  };
}

/**
 * @param {(signal: AbortSignal) => Promise<unknown>} ask
 * @param {() => void} forget  what failed may be asked again
 * @returns {Request}
 */
function begin(ask, forget) {
  const end = new AbortController();
  /** @type {Request} */
  const request = { answer: ask(end.signal), wanted: 0, ended: false, end };
  const settle = () => (request.ended = true);
  request.answer.then(settle, () => settle() && !end.signal.aborted && forget());
  return request;
}
