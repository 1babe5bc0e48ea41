/** What of the tour, the exercises and the clinic an address holds. */

import { LESSONS } from "../state.js";
import { index } from "./parameter.js";

/** @typedef {import("../state.js").Lesson["part"]} Part */

const PARTS = /** @type {Part[]} */ (Object.keys(LESSONS));

/** What can be solved, by the letter that stands for it. */
const SOLVABLE = { e: LESSONS.exercise, c: LESSONS.clinic };

/** @type {import("./parameter.js").Parameter[]} */
export const LESSON_PARAMETERS = [
  ...PARTS.map(lessonOf),
  {
    // "e1-e4-c3": the exercises that are solved, and the patients that are diagnosed.
    name: "solved",
    keys: ["solved"],
    write: ({ solved }) => solved.join("-") || null,
    read: (text) => {
      const solved = text.split("-");
      return solved.every(isSolvable) ? { solved: [...new Set(solved)] } : null;
    },
  },
];

/**
 * "exercise=3": what is open beside the page.
 *
 * @param {Part} part
 * @returns {import("./parameter.js").Parameter}
 */
function lessonOf(part) {
  return {
    name: part,
    keys: ["lesson"],
    write: ({ lesson }) => (lesson?.part === part ? String(lesson.at + 1) : null),
    read: (text) => {
      const at = index(text, LESSONS[part]);
      return at === null ? null : { lesson: { part, at } };
    },
    absent: ({ lesson }) => (lesson?.part === part ? { lesson: null } : {}),
  };
}

/** @param {string} name */
function isSolvable(name) {
  const [, letter, number] = /^([ec])([1-9]\d?)$/.exec(name) ?? [];
  return Boolean(letter) && Number(number) <= SOLVABLE[/** @type {"e" | "c"} */ (letter)];
}
