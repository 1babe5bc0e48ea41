/** The tour's stops, in the order of the computation: its texts are under `tour.`, its formula has its name. */

import { hasMask } from "../trace/kinds.js";
import { QUESTIONS } from "./questions.js";
import { isDecoderAlone, WRITING } from "./stop.js";

/** @import { Trace } from "../trace/trace.js" */

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

const MATRIX = "tab=attention&kind=cross&cross=representative";
const CELL = `${MATRIX}&cell=cross.representative-step-most`;

/** @type {(trace: Trace) => boolean}  what reads within windows hides something, and not as a decoder does */
const hidesAheadAlone = ({ weights: { encoder_self: read, decoder_self: written } }) =>
  Boolean(written) || !read || !hasMask("encoder_self", read.keys, read.causal);

/** @type {import("./questions.js").AskingStop[]} */
export const TOUR = [
  {
    ...{ name: "tokens", question: QUESTIONS.tokens },
    ...{ address: "tab=model&block=encoder.tokens", look: LOOK.box },
  },
  {
    ...{ name: "embedding", question: QUESTIONS.embedding, guests: [] },
    ...{ address: "tab=model&block=encoder.embedding", look: LOOK.open },
  },
  {
    ...{ name: "position", question: QUESTIONS.position, guests: [] },
    ...{ address: "tab=model&block=positions", look: LOOK.open },
  },
  {
    ...{ name: "projections", question: QUESTIONS.projections, guests: [] },
    ...{ address: CELL, look: LOOK.numbers },
  },
  { name: "scores", question: QUESTIONS.scores, guests: [], address: MATRIX, look: LOOK.matrix },
  {
    ...{ name: "scale", question: QUESTIONS.scale, guests: [] },
    ...{ address: "kind=cross&cross=representative&tab=model&block=scale", look: LOOK.open },
  },
  {
    ...{ name: "mask", question: QUESTIONS.mask, needs: hidesAheadAlone, look: LOOK.matrix },
    address: "tab=attention&kind=decoder_self&decoder_self=representative",
  },
  {
    ...{ name: "softmax", question: QUESTIONS.softmax, guests: [] },
    ...{ address: `${CELL}&frame=softmax`, look: LOOK.numbers },
  },
  { name: "heads", question: QUESTIONS.heads, address: MATRIX, look: LOOK.heads },
  {
    ...{ name: "residual", question: QUESTIONS.residual, guests: [] },
    ...{ address: "tab=model&block=decoder.L1.feed_forward.add", look: LOOK.open },
  },
  {
    ...{ name: "cross", question: QUESTIONS.cross, guests: WRITING },
    ...{ address: `${MATRIX}&next=hidden`, look: LOOK.beam },
  },
  {
    ...{ name: "next", question: QUESTIONS.next, guests: WRITING },
    ...{ address: `${MATRIX}&next=hidden`, look: LOOK.candidates },
  },
  // Addresses count the stops: what decoders alone have comes last.
  {
    ...{ name: "sinks", question: QUESTIONS.sinks, guests: ["decoder"], needs: isDecoderAlone },
    ...{ address: MATRIX, look: LOOK.matrix },
  },
  {
    ...{ name: "induction", question: QUESTIONS.induction, guests: ["decoder"] },
    ...{ needs: isDecoderAlone, address: MATRIX, look: LOOK.matrix },
  },
];
