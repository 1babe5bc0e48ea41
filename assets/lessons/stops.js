/**
 * The tour's stops, in the order of the computation.
 *
 * This room holds lessons as data, and the panel that leads through them: the tour, the exercises and
 * the clinic. A stop names its texts (in
 * the locale files under `tour.`), an address of the page, which may name heads by what they are, the
 * formula that is filled in and the question that is asked; it draws nothing itself.
 */

/**
 * @typedef {object} Stop
 * @property {string} name  of its texts, its formula and its question
 * @property {string} address  what the page shows beside it; "telling" is the head of the clearest
 *   role of its kind. A model without an encoder has its decoder's instead.
 * @property {"top" | "tab"} look  where on the page
 * @property {boolean} [ahead]  the question is about the next step
 */

/**
 * What the panel shows beside the page: the tour, the exercises or the clinic.
 *
 * @typedef {object} Part
 * @property {HTMLElement} element
 * @property {(at: number) => string} title
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => string} address  what the page
 *   shows beside it
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => "top" | "tab"} arrive  shows what the lesson is about, and
 *   says where on the page that is
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => void} show  the lesson, of this trace
 */

/** @type {Stop[]} */
export const STOPS = [
  { name: "tokens", address: "tab=model&block=encoder.tokens", look: "tab" },
  { name: "embedding", address: "tab=model&block=encoder.embedding", look: "tab" },
  { name: "position", address: "tab=model&block=positions", look: "tab" },
  {
    name: "projections",
    address: "kind=cross&cross=telling&cell=cross.telling-step-most",
    look: "top",
  },
  { name: "scores", address: "kind=cross&cross=telling", look: "top" },
  { name: "scale", address: "kind=cross&cross=telling&tab=model&block=scale", look: "tab" },
  { name: "mask", address: "kind=decoder_self&decoder_self=telling", look: "top" },
  {
    name: "softmax",
    address: "kind=cross&cross=telling&cell=cross.telling-step-most",
    look: "top",
  },
  { name: "heads", address: "kind=cross&cross=telling", look: "top" },
  { name: "residual", address: "tab=model&block=decoder.L1.feed_forward.add", look: "tab" },
  { name: "cross", address: "kind=cross&cross=telling&next=hidden", look: "top", ahead: true },
  {
    name: "next",
    address: "tab=model&block=decoder.softmax&next=hidden",
    look: "tab",
    ahead: true,
  },
];

/**
 * What the page is to show at a stop, of this model.
 *
 * @param {Pick<Stop, "address">} stop
 * @param {Pick<import("../trace/trace.js").Trace, "weights">} trace
 */
export function addressFor({ address }, { weights }) {
  if (weights.cross) return address;
  return address
    .replaceAll("encoder.", "decoder.")
    .replaceAll("encoder_self", "decoder_self")
    .replaceAll("cross", "decoder_self");
}
