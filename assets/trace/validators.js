/** What the fields of a saved trace may be, of either version. */

import { isCount, isObject, isText, listOf, Unreadable } from "./fields.js";
import { KINDS } from "./kinds.js";

/**
 * What the page can still draw: tiles of all heads, labels along an axis; and read in no time. Labels
 * are counted in characters, of all tokens of a side together.
 */
export const MOST = {
  ...{ heads: 4096, tokens: 2000, labels: 100_000 },
  ...{ candidates: 200_000, interventions: 500 },
};

/** @type {(value: unknown) => value is number} */
function isShare(value) {
  return typeof value === "number" && value >= 0 && value <= 1.001; // summed in float32
}

/** @type {(value: unknown) => value is import("./trace.js").Candidate} */
function isCandidate(value) {
  if (!isObject(value)) return false;
  const { token, id, probability, drawn = null } = value;
  return isText(token) && isCount(id) && isShare(probability) && (drawn === null || isShare(drawn));
}

/** Whether a value is the candidates of steps. @type {(value: unknown) => value is import("./trace.js").Candidate[][]} */
export function areCandidates(value) {
  if (!listOf(Array.isArray, MOST.tokens)(value)) return false;
  const count = value.reduce((sum, step) => sum + step.length, 0);
  return count <= MOST.candidates && value.every(listOf(isCandidate));
}

/** Whether a value is a list of tokens. @type {(value: unknown) => value is string[]} */
export function areLabels(value) {
  if (!listOf(isText, MOST.tokens)(value)) return false;
  return value.reduce((sum, label) => sum + label.length, 0) <= MOST.labels;
}

/** Whether a value is a reason for which a translation ended. @type {(value: unknown) => value is string} */
export function isStopReason(value) {
  return value === "eos" || value === "max_steps" || value === "max_length";
}

/** Whether a value is how tokens are drawn. @type {(value: unknown) => value is import("./trace.js").Sampling | null} */
export function isSampling(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { temperature, top_k, seed, top_p = 1 } = value;
  const fits = typeof temperature === "number" && temperature > 0 && temperature <= 100;
  const nucleus = typeof top_p === "number" && top_p > 0 && top_p <= 1;
  return fits && nucleus && isCount(top_k) && isCount(seed);
}

/** Whether a value is representative heads by kind. @type {(value: unknown) => value is import("./fields.js").Values} */
export function isHeads(value) {
  return (
    isObject(value) &&
    Object.entries(value).every(([kind, head]) => {
      if (!KINDS.some((other) => other === kind) || !isObject(head)) return false;
      return isText(head.head) && isText(head.role) && isOpening(head.opening ?? null);
    })
  );
}

/** @type {(value: unknown) => boolean} */
const isPart = (value) => typeof value === "number" && value >= 0 && value <= 1;

/** @type {(value: unknown) => value is import("./trace.js").Opening | null} */
function isOpening(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  return isText(value.head) && isText(value.row) && isPart(value.meets) && isPart(value.other);
}

/** Whether a value is glosses of both sides. @type {(value: unknown) => value is import("./trace.js").Glosses | null} */
export function isGlosses(value) {
  if (value === null) return true;
  return isObject(value) && [value.src, value.tgt].every(listOf(isTextOrNull, MOST.tokens));
}

/** Whether a value is a text, or nothing. @type {(value: unknown) => value is string | null} */
export function isTextOrNull(value) {
  return value === null || isText(value);
}

/** Whether a value is a packed array of floats, or nothing. @type {(value: unknown) => value is import("./unpack.js").PackedArray | null} */
export function isPacked(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { shape, dtype, data } = value;
  const isFloat = dtype === "float16" || dtype === "float32";
  const isData = typeof data === "string" || data instanceof Uint8Array;
  return isFloat && isData && listOf(isCount, 6)(shape);
}

/** Whether there are as many numbers as the shape says. @param {import("./unpack.js").PackedArray} packed */
export function isFull({ shape, dtype, data }) {
  const size = shape.reduce((product, side) => product * side, dtype === "float16" ? 2 : 4);
  if (typeof data !== "string") return size === data.length;
  // Four characters of base64 carry three bytes.
  return Math.ceil(size / 3) * 4 === data.length;
}

/** Refuses the first field that does not agree with the others. @param {[field: string, agrees: boolean][]} fields */
export function checkAgreement(fields) {
  const wrong = fields.find(([, agrees]) => !agrees);
  if (wrong) throw new Unreadable("file_field", { field: wrong[0] });
}

/** Reads packed numbers, if they are base64. @type {<Payload>(parse: (payload: Payload) => import("./trace.js").Trace, payload: Payload) => import("./trace.js").Trace} */
export function unpacked(parse, payload) {
  try {
    return parse(payload);
  } catch {
    throw new Unreadable("file_broken");
  }
}
