/** A class that this page belongs to: as its teacher, or as one who follows. */

/** @typedef {import("./plan.js").Asking["kind"]} AskedKind */

/**
 * What a teacher asks.
 *
 * @typedef {object} Asked
 * @property {number} number
 * @property {AskedKind} kind
 * @property {string} text  the question, if it is the teacher's own; else the head or word in question
 * @property {string[]} options  by which it is answered; of `off` and `without` the page has its own
 * @property {boolean} typed  whether something else may be typed
 */

/**
 * What the class has said, and the model does.
 *
 * @typedef {object} Outcome
 * @property {string[]} labels  the options, and whatever else the model might say
 * @property {number[] | null} shares  the model's own, from 0 to 1
 * @property {number | null} right  which of the labels it is
 * @property {number[]} counts  of people, by label
 * @property {number} else  people who typed something that is none of them
 * @property {number} answered
 * @property {number} sure
 * @property {number} sure_wrong
 */

/** @typedef {Outcome & {kind: AskedKind, text: string, source: string, step: number, revealed: boolean}} Past */
/** @typedef {{address: string, number: number, by: string}} View  what the teacher shows */
/** @typedef {{choice: number | null, text: string, sure: boolean}} Answer  a student's own answer */
/** @typedef {{on: boolean, may: boolean, reached: boolean, named: boolean, addresses: string[]}} Reach */

/**
 * Why a class is over for this page.
 *
 * @typedef {"closed" | "forgotten" | "stopped" | "elsewhere" | "full" | "refused"} End
 */

/**
 * @typedef {object} Classroom
 * @property {boolean} served  whether anybody here could hold one
 * @property {"teacher" | "student" | null} role
 * @property {string} code
 * @property {boolean} away  the server has not been heard of
 * @property {import("../problem.js").Problem | null} problem  why the last thing was refused
 * @property {End | null} end
 * @property {Reach | null} reach  null until it is known
 * @property {boolean} inviting  whether the code fills the screen
 * @property {View | null} view
 * @property {boolean} alone  whether this page looks at something else than the class
 * @property {Asked | null} question
 * @property {Outcome | null} outcome
 * @property {Answer | null} answer  this person's answer to the question
 * @property {number} people
 * @property {number} answered
 * @property {{id: string, text: string}[]} sentences
 * @property {Past[]} past  questions that are over, once they were asked for
 * @property {import("./plan.js").Planned[] | null} plan  null where none is open
 * @property {number} planned  how many of these have been asked
 */

/** @type {Classroom} */
export const NO_CLASS = {
  served: false,
  role: null,
  code: "",
  ...{ away: false, problem: null, end: null },
  ...{ reach: null, inviting: false },
  ...{ view: null, alone: false },
  ...{ question: null, outcome: null, answer: null },
  ...{ people: 0, answered: 0, sentences: [], past: [] },
  ...{ plan: null, planned: 0 },
};

/** The letters of a code, in the order of the server's. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{5}$/;

/**
 * A code as somebody typed it.
 *
 * @param {string} text
 */
export function codeIn(text) {
  const code = text.replace(/\s+/g, "").toUpperCase();
  return CODE.test(code) ? code : null;
}
