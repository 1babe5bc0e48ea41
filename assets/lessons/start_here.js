/** The first minute, as data: four moments on a sentence where it works. */

/**
 * @typedef {object} Moment
 * @property {string} name  of its text (`start.NAME`)
 * @property {(step: number) => string} address  what the page shows, at the step of the model's card,
 *   from 1
 * @property {string} question  what the visitor does, as the button names it that does it for them
 */

/** @param {number} step */
function atStep(step) {
  return `step=${step}&kind=cross&cross=opening`;
}

/** @type {Moment[]} */
export const MOMENTS = [
  // What the step writes is not to be seen yet; the beam is hidden, too.
  {
    name: "guess",
    address: (step) => `${atStep(step - 1)}&next=hidden`,
    question: "show",
  },
  { name: "see", address: atStep, question: "next" },
  { name: "steer", address: atStep, question: "look" },
  { name: "own", address: () => "", question: "tour" },
];
