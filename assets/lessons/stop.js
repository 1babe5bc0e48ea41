/**
 * A stop, as tour, exercises, clinic and first minute have them, and what the page shows there.
 *
 * This room holds lessons as data, lists of stops, and the panel that leads through them: the tour, the exercises
 * and the clinic; the first minute has a card of its own. A stop draws nothing itself.
 */

/** @import { Trace } from "../trace/trace.js" */
/** @typedef {import("../trace/payload.js").GuestCard["form"]} Form */

/**
 * An address of the page, and what is asked of who looks there. Where its texts alone do not ask, it has a
 * `question` as well: in the tour, what can be answered, with the truth; in the first minute, what the button is
 * called that does it. Where something is to be found, it has a `judge`. Neither holds an answer: it is in the trace.
 *
 * @typedef {object} Stop
 * @property {string} name  of its texts, in the locale files
 * @property {string} address  what the page shows beside it, of a translator. "representative" is the head of the
 *   clearest role of its kind, and {step} where a model's first minute takes place
 * @property {string} [look]  what is marked and brought into sight, as a selector; without it nothing is, and the
 *   page begins at its top
 * @property {readonly Form[]} [guests]  the only ones that it is for; without, all are
 * @property {(trace: Trace) => boolean} [needs]  whether a model has what it is about, ours or a guest
 */

/**
 * A pure function of what is seen; null: nothing was tried yet.
 *
 * @template Seen
 * @template [Says=Verdict | null]
 * @typedef {(seen: Seen, trace: Trace) => Says} Judge
 */

/**
 * `outcome` names the judge's sentence; "met": it is what was asked for.
 *
 * @typedef {{outcome: string, values?: Record<string, string | number>}} Verdict
 */

/**
 * What the panel shows beside the page: the tour, the exercises or the clinic.
 *
 * @typedef {object} Part
 * @property {HTMLElement} element
 * @property {readonly Stop[]} stops
 * @property {(at: number) => string} title
 * @property {(at: number, trace: Trace) => void} arrive  shows what the stop is about
 * @property {(at: number, trace: Trace) => void} show  the stop, of this trace
 */

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

/**
 * What the page is to show at a stop, of this model.
 *
 * @param {Stop} stop
 * @param {Pick<Trace, "weights">} trace
 */
export function addressFor({ address }, { weights }) {
  if (weights.cross) return address;
  if (!weights.decoder_self) {
    return address.replaceAll("decoder", "encoder").replaceAll("cross", "encoder_self");
  }
  return address
    .replaceAll("encoder.", "decoder.")
    .replaceAll("encoder_self", "decoder_self")
    .replaceAll("cross", "decoder_self");
}
