/**
 * Reading what is asked: anything at all goes in, a request of a known form comes out, or the server's
 * own refusal (`transformer/serving/requests.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { badRequest, listOf, oneOf, text, wholeNumber } from "../ask/options.js";
import { checkSampling } from "../decoding/sampling.js";
import { HeadlightError } from "../errors.js";

/** @import { TraceRequest } from "../translator.js" */
/** @typedef {Record<string, unknown>} Sent */

/** More than any model here reads; the model's own limit, in tokens, is checked by the model. */
const MAX_CHARACTERS = 2000;

/** Tokens; more than any model here writes. */
const MAX_PREFIX = 2000;

const interventionsOf = listOf(text, 500);
const prefixOf = listOf(wholeNumber, MAX_PREFIX);
const targetOf = listOf(wholeNumber, MAX_PREFIX, [], 1);
const kindOf = oneOf(KINDS);

/**
 * What a trace is made of.
 *
 * @param {Sent} sent
 * @returns {Required<TraceRequest>}
 * @throws {HeadlightError} a part has another form, or is too long
 */
export function readTraceAsked({ source, prefix, interventions, sampling }) {
  return {
    source: readSource(source),
    prefix: prefixOf(prefix),
    interventions: interventionsOf(interventions),
    sampling: readSampling(sampling),
  };
}

/**
 * The head whose arithmetic is asked for.
 *
 * @param {Sent} sent
 * @returns {import("../inside/arithmetic.js").HeadAsked}
 */
export function readWorkedOut({ source, target, kind, layer, head, interventions }) {
  return {
    source: readSource(source),
    target: targetOf(target),
    kind: kindOf(kind),
    layer: wholeNumber(layer),
    head: wholeNumber(head),
    interventions: interventionsOf(interventions),
  };
}

/**
 * Refuses a text so long that even counting its tokens would be a burden.
 *
 * @param {unknown} sent
 */
function readSource(sent) {
  const source = text(sent);
  const { length } = [...source];
  if (length > MAX_CHARACTERS) {
    throw new HeadlightError("too_many_characters", { length, limit: MAX_CHARACTERS });
  }
  return source;
}

/** @param {unknown} value */
function readSampling(value) {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") throw badRequest();
  const { temperature, top_k, seed, ...more } = /** @type {any} */ (value);
  const known =
    typeof temperature === "number" && Number.isInteger(top_k) && Number.isInteger(seed);
  if (!known || Object.keys(more).length) throw badRequest();
  return checkSampling({ temperature, top_k, seed });
}
