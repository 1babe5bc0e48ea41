/** Which models a stop is for. */

/** @import { Form, Stop } from "./stop.js" */

/** @type {readonly Form[]} */
export const TRANSLATING = ["encoder-decoder"];
/** @type {readonly Form[]} */
export const WRITING = [...TRANSLATING, "decoder"];

/**
 * Whether a stop is one for the model whose trace is shown.
 *
 * @param {Stop} stop
 * @param {import("../trace/trace.js").Trace} trace
 */
export function suits({ guests, needs }, trace) {
  const { guest } = trace;
  return (!guest || !guests || guests.includes(guest.form)) && (!needs || needs(trace));
}
