/** Which of the changes that lead the beam is told of. */

import { isPastTheEnd } from "../trace/interventions.js";
import { decodes } from "../trace/kinds.js";
import { aimsIn } from "../trace/steering.js";

/** @import { State } from "./state.js" */
/** @import { Aim } from "../trace/steering.js" */

/**
 * Whether it is of the step at hand; the encoder has read the source before every step.
 *
 * @type {(aim: Aim, state: Pick<State, "step">) => boolean}
 */
export function isOwnAim({ kind, row }, { step }) {
  return !decodes(kind) || row === step;
}

/**
 * The step's own, of the kind that is looked at, or else the first.
 *
 * @param {Pick<State, "question" | "trace" | "kind" | "step">} state
 * @returns {Aim | undefined}
 */
export function aimShown(state) {
  const { question, trace, kind } = state;
  const all = trace && question ? aimsIn(question.interventions) : [];
  const aims = all.filter((aim) => trace && !isPastTheEnd(aim, trace));
  const own = aims.filter((aim) => isOwnAim(aim, state));
  return own.find((aim) => aim.kind === kind) ?? own[0] ?? aims[0];
}
