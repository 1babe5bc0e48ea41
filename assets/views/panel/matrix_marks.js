/** What is marked in a head's matrix: the step's row, the lines and the cell that are pointed at. */

import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/choice.js";
import { decodes, isStep } from "../../trace/kinds.js";
import { sinkColumns } from "../../trace/sinks.js";

/** @import { State } from "../../state/state.js" */
/** @import { Choice } from "../../trace/choice.js" */
/** @import { Kind } from "../../trace/kinds.js" */

/**
 * Columns are counted with those of the sink, which stand before the keys'. Where nothing is pointed at,
 * the cell whose arithmetic is open is marked.
 *
 * @param {Pick<State, "trace" | "step" | "hover" | "token" | "picked">} state
 * @param {Kind} kind
 * @param {Choice | undefined} choice  the head that is shown
 */
export function matrixMarks({ trace, step, hover, token, picked }, kind, choice) {
  const weights = trace?.weights[kind];
  const shift = weights ? sinkColumns(weights) : 0;
  const asked = picked?.kind === kind && sameHead(picked, choice) ? picked : null;
  const pointed = hover?.kind === kind ? hover : asked;
  const { rows, columns } = crosshair(kind, { hover, token });
  return {
    step: trace && isStep(trace, kind) ? step : null,
    bare: !decodes(kind),
    lines: { rows, columns: columns.map((key) => key + shift) },
    pointed: pointed && { query: pointed.query, key: pointed.key + shift },
  };
}
