/** Why something that was asked for cannot be had. */

/** @typedef {{code: string, details: Record<string, string | number>}} Problem */

/** @type {Problem} */
export const NO_ANSWER = { code: "no_answer", details: {} };

/** What was asked for cannot be had. */
export class Refused extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * Why something was refused; any other error is a fault of the page's, and stays one.
 *
 * @param {unknown} error
 * @returns {Problem}
 */
export function problemOf(error) {
  if (error instanceof Refused) return error.problem;
  throw error;
}

/**
 * A problem as people read it.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {Problem} [problem]
 */
export function problemText(t, { code, details } = NO_ANSWER) {
  return t(`error.${code}`, details);
}
