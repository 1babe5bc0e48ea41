/** The first minute, as data: four moments on a sentence where it works. */

/** Of the guess it is the step before: what its own writes is not to be seen yet. */
const THERE = "step={step}&kind=cross&cross=opening";

/** @type {(import("./stop.js").Stop & {question: string})[]} */
export const MOMENTS = [
  // The beam is hidden, too.
  { name: "guess", address: `${THERE}&next=hidden`, question: "show" },
  { name: "see", address: THERE, question: "next" },
  { name: "steer", address: THERE, question: "look" },
  { name: "own", address: "", question: "tour" },
];
