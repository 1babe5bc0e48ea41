/**
 * What strangers may say: each value has a type and bounds, which the protocol declares
 * (`transformer/ask/options.py`).
 */

import { checkSampling } from "../decoding/sampling.js";
import { HeadlightError } from "../errors.js";

/** @import { Option } from "../../trace/protocol.js" */
/** @typedef {(value: unknown, option: Option) => any} Reader */

/** The error of a request that no page of ours sends. */
export const badRequest = () => new HeadlightError("bad_request");

/** Refuses what is no text. @type {(value: unknown) => string} */
export function text(value) {
  if (typeof value !== "string") throw badRequest();
  return value;
}

/**
 * Values by their names, each as it is declared.
 *
 * @param {Record<string, Option>} options
 * @param {Record<string, unknown>} values
 * @returns {Record<string, any>}
 * @throws {HeadlightError} one is another than was declared
 */
export function readOptions(options, values) {
  const read = Object.entries(options).map(([name, option]) => [
    name,
    readOption(option, values[name]),
  ]);
  return Object.fromEntries(read);
}

/** @type {(option: Option, value: unknown) => any} */
function readOption(option, value) {
  return READERS[option.type](value, option);
}

/** @type {Record<string, Reader>} */
const READERS = {
  whole_number(value, { least = 0, most }) {
    const number = Number(value);
    if (!Number.isSafeInteger(value) || number < least || number > (most ?? number)) {
      throw badRequest();
    }
    return number;
  },
  text(value, { most }) {
    if (typeof value !== "string" || [...value].length > (most ?? value.length)) throw badRequest();
    return value;
  },
  perhaps: (value, { of }) =>
    isNothing(value) ? null : readOption(/** @type {Option} */ (of), value),
  one_of(value, { values = [] }) {
    if (!values.includes(value)) throw badRequest();
    return value;
  },
  list(value, { of, least = 0, most, absent = [] }) {
    if (isNothing(value) && !least) return [...absent];
    if (!Array.isArray(value) || value.length > Number(most) || value.length < least) {
      throw badRequest();
    }
    return value.map((item) => readOption(/** @type {Option} */ (of), item));
  },
  // Refused before its tokens are counted, which would be a burden.
  source(value, { most }) {
    const { length } = [...text(value)];
    if (length > Number(most)) {
      throw new HeadlightError("too_many_characters", { length, limit: Number(most) });
    }
    return value;
  },
  sampling(value) {
    if (isNothing(value)) return null;
    if (typeof value !== "object") throw badRequest();
    const { temperature, top_k, seed, top_p = 1, ...more } = /** @type {any} */ (value);
    const isTyped =
      typeof temperature === "number" &&
      typeof top_p === "number" &&
      Number.isInteger(top_k) &&
      Number.isInteger(seed);
    if (!isTyped || Object.keys(more).length) throw badRequest();
    return checkSampling({ temperature, top_k, seed, top_p });
  },
};

/** @param {unknown} value */
const isNothing = (value) => value === undefined || value === null;
