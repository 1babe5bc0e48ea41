/** What strangers may say: each value has a type and bounds (`transformer/ask/options.py`). */

import { HeadlightError } from "../errors.js";

/** What no page of ours sends. */
export const badRequest = () => new HeadlightError("bad_request");

/** @type {(value: unknown) => number} */
export function wholeNumber(value) {
  if (!Number.isSafeInteger(value) || Number(value) < 0 || Number(value) > 2 ** 31 - 1) {
    throw badRequest();
  }
  return Number(value);
}

/** @type {(value: unknown) => string} */
export function text(value) {
  if (typeof value !== "string") throw badRequest();
  return value;
}

/**
 * @template Value
 * @param {readonly Value[]} values
 * @returns {(value: unknown) => Value}
 */
export function oneOf(values) {
  return (value) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw badRequest();
    return found;
  };
}

/**
 * @template Item
 * @param {(value: unknown) => Item} of
 * @param {number} most
 * @param {readonly Item[]} [absent]  what it is where nothing was sent
 * @param {number} [least]
 * @returns {(value: unknown) => Item[]}
 */
export function listOf(of, most, absent = [], least = 0) {
  return (value) => {
    if ((value === undefined || value === null) && !least) return [...absent];
    if (!Array.isArray(value) || value.length > most || value.length < least) throw badRequest();
    return value.map(of);
  };
}
