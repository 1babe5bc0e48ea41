/**
 * Reading what is asked: anything at all goes in, a request of a known form comes out, or the server's
 * own refusal (`transformer/serving/requests.py`).
 */

import { PROTOCOL } from "../../trace/protocol.js";
import { badRequest, readOptions } from "../ask/options.js";
import { HeadlightError } from "../errors.js";

/** @import { TraceRequest } from "../translator.js" */
/** @typedef {Record<string, unknown>} Sent */

/**
 * What is asked, if the engine answers it.
 *
 * @param {unknown} ask
 * @returns {string}
 * @throws {HeadlightError} nobody knows it, or a machine alone answers it
 */
export function readAsk(ask) {
  if (typeof ask !== "string" || !Object.hasOwn(PROTOCOL.requests, ask)) throw badRequest();
  if (!PROTOCOL.requests[ask].by.includes("engine")) throw new HeadlightError("needs_machine");
  return ask;
}

/**
 * What a trace is made of.
 *
 * @param {Sent} sent
 * @returns {Required<TraceRequest>}
 * @throws {HeadlightError} a part has another form, or is too long
 */
export function readTraceAsked(sent) {
  const { taught: _, model: __, guest: ___, ...fields } = PROTOCOL.requests.trace.fields;
  if (sent.guest !== undefined && sent.guest !== null) throw badRequest();
  return /** @type {Required<TraceRequest>} */ (readOptions(fields, sent));
}

/**
 * The head whose arithmetic is asked for.
 *
 * @param {Sent} sent
 * @returns {import("../inside/arithmetic.js").HeadAsked}
 */
export function readWorkedOut(sent) {
  const { taught: _, model: __, ...fields } = PROTOCOL.requests.worked_out.fields;
  return /** @type {import("../inside/arithmetic.js").HeadAsked} */ (readOptions(fields, sent));
}
