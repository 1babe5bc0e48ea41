/** Which models a stop is for. */

/** @import { Trace } from "../trace/trace.js" */
/** @import { Form, Stop } from "./stop.js" */

/** @type {readonly Form[]} */
export const TRANSLATING = ["encoder-decoder"];
/** @type {readonly Form[]} */
export const WRITING = [...TRANSLATING, "decoder"];

/** @param {Pick<Trace, "weights">} trace */
export function isDecoderAlone({ weights }) {
  return !weights.encoder_self && Boolean(weights.decoder_self);
}

/**
 * Whether a stop is one for the model whose trace is shown.
 *
 * @param {Stop} stop
 * @param {Trace} trace
 */
export function suits({ guests, needs }, trace) {
  const { guest } = trace;
  return (!guest || !guests || guests.includes(guest.form)) && (!needs || needs(trace));
}
