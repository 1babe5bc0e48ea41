/** What is marked in a map at a step, and which of its rows are hidden until their step comes. */

/** @import { Drawn } from "./drawn.js" */
/** @import { Place } from "../grid/walking.js" */
/** @import { State } from "../../state/state.js" */

/** Whether a row stands for steps that are still to come, and are hidden. @type {(drawn: Drawn | undefined, row: number, state: Pick<State, "step" | "hiding">) => boolean} */
export function isRowAhead(drawn, row, { step, hiding }) {
  return hiding && (drawn?.steps?.[row][0] ?? 0) > step;
}

/**
 * The row of the step is marked if it stands for the step itself, or is the last that is not hidden.
 *
 * @param {Drawn} drawn
 * @param {Pick<State, "step" | "hiding">} state
 * @param {Place | null} pointed
 * @returns {{marks: import("../../draw/marks.js").Marks, seen: number}}  `seen`: rows that are not hidden
 */
export function mapMarks({ numbers, steps }, { step, hiding }, pointed) {
  const current = (steps ?? []).filter(([first]) => first <= step).length - 1;
  const now = current >= 0 && (hiding || steps?.[current].includes(step));
  return {
    marks: {
      step: now ? current : null,
      bare: !hiding,
      lines: { rows: [], columns: [] },
      pointed: pointed && { query: pointed.row, key: pointed.column },
    },
    seen: steps && hiding ? current + 1 : numbers.rows,
  };
}
