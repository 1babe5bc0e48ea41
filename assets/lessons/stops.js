/**
 * The tour's stops, in the order of the computation.
 *
 * This room holds lessons as data, and the panel that leads through them: the tour, the exercises and
 * the clinic. A stop names its texts (in
 * the locale files under `tour.`), an address of the page, which may name heads by what they are, the
 * formula that is filled in and the question that is asked; it draws nothing itself.
 */

import { hasMask } from "../trace/kinds.js";

/**
 * @typedef {object} Stop
 * @property {string} name  of its texts, its formula and its question
 * @property {string} address  what the page shows beside it; "representative" is the head of the clearest
 *   role of its kind. A model without an encoder has its decoder's instead.
 * @property {string} look  what is marked and brought into sight, as a selector
 * @property {boolean} [ahead]  the question is about the next step
 * @property {readonly Form[]} [ofGuests]  which guests it is for; without, it needs what runs through the
 *   blocks of our own models alone
 * @property {boolean} [plain]  its formula is filled in from the trace alone
 * @property {"first" | "induction"} [role]  of a decoder alone: it is about the head that does most of this
 */

/** @typedef {import("../trace/payload.js").GuestCard["form"]} Form */

/**
 * What the panel shows beside the page: the tour, the exercises or the clinic.
 *
 * @typedef {object} Part
 * @property {HTMLElement} element
 * @property {(at: number) => string} title
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => boolean} [suits]  whether it is one for
 *   what is shown; by default, it is
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => string} address  what the page
 *   shows beside it
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => void} arrive  shows what the lesson is about
 * @property {(at: number) => string} [look]  what is marked, as a selector; without it nothing is, and the page
 *   begins at its top
 * @property {(at: number, trace: import("../trace/trace.js").Trace) => void} show  the lesson, of this trace
 */

/** What a stop can be about. */
const LOOK = {
  box: ".source .ask",
  open: "#tabpanel-model .block-details",
  matrix: ".panel:not([hidden]) > .picture",
  heads: ".panel:not([hidden]) > .heads",
  numbers: "#worked-out",
  beam: ".scene .beam",
  candidates: ".board > .guesses",
};

/** @type {readonly Form[]} */
const WRITING = ["decoder", "encoder-decoder"];
/** @type {readonly Form[]} */
const ANY = [...WRITING, "encoder"];

const MATRIX = "tab=attention&kind=cross&cross=representative";
const CELL = `${MATRIX}&cell=cross.representative-step-most`;

/** @type {Stop[]} */
export const STOPS = [
  {
    ...{ name: "tokens", address: "tab=model&block=encoder.tokens", look: LOOK.box },
    ...{ ofGuests: ANY, plain: true },
  },
  { name: "embedding", address: "tab=model&block=encoder.embedding", look: LOOK.open },
  { name: "position", address: "tab=model&block=positions", look: LOOK.open },
  { name: "projections", address: `${CELL}`, look: LOOK.numbers },
  { name: "scores", address: MATRIX, look: LOOK.matrix },
  {
    name: "scale",
    address: "kind=cross&cross=representative&tab=model&block=scale",
    look: LOOK.open,
  },
  {
    name: "mask",
    address: "tab=attention&kind=decoder_self&decoder_self=representative",
    look: LOOK.matrix,
    ofGuests: ANY,
    plain: true,
  },
  { name: "softmax", address: `${CELL}&frame=softmax`, look: LOOK.numbers },
  { name: "heads", address: MATRIX, look: LOOK.heads, ofGuests: ANY },
  {
    name: "residual",
    address: "tab=model&block=decoder.L1.feed_forward.add",
    look: LOOK.open,
  },
  {
    ...{ name: "cross", address: `${MATRIX}&next=hidden`, look: LOOK.beam, ahead: true },
    ofGuests: WRITING,
  },
  {
    ...{ name: "next", address: `${MATRIX}&next=hidden`, look: LOOK.candidates, ahead: true },
    ofGuests: WRITING,
  },
  // Addresses count the stops: what decoders alone have comes last.
  {
    ...{ name: "sinks", address: MATRIX, look: LOOK.matrix, role: "first" },
    ...{ ofGuests: ["decoder"], plain: true },
  },
  {
    ...{ name: "induction", address: MATRIX, look: LOOK.matrix, role: "induction" },
    ...{ ofGuests: ["decoder"], plain: true },
  },
];

/**
 * Whether a stop is one for the model whose trace is shown.
 *
 * @param {Pick<Stop, "name" | "ofGuests" | "role">} stop
 * @param {Pick<import("../trace/trace.js").Trace, "guest" | "weights">} trace
 */
export function stopSuits({ name, ofGuests, role }, { guest, weights }) {
  const { encoder_self: read, decoder_self: written } = weights;
  if (role && (read || !written)) return false;
  // What reads within windows hides something, and not as a decoder does.
  if (name === "mask" && !written && read && hasMask("encoder_self", read.keys, read.causal)) {
    return false;
  }
  return !guest || Boolean(ofGuests?.includes(guest.form));
}
