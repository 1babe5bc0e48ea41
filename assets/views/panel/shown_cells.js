/** What a matrix shows of its cells: a weight, or why there is none, in words, and what is marked. */

import { weightText } from "../../kit/numbers.js";
import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/choice.js";
import { decodes, hiddenBecause, isMasked, isStep, keyTokens } from "../../trace/kinds.js";
import { SINK, sinkColumns } from "../../trace/sinks.js";
import { headWeights, isHere, isOff, maskAt, sinkOf } from "../../trace/weights.js";

/** @import { Part } from "../../draw/pooled.js" */
/** @import { Translate } from "../../kit/i18n.js" */
/** @import { State } from "../../state/state.js" */
/** @import { Cell, Choice } from "../../trace/choice.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Weights } from "../../trace/weights.js" */

/**
 * The weight of a cell at a step, or why there is none.
 *
 * @type {(t: Translate, weights: Weights, cell: Cell, step: number, digits: number) => string}
 */
export function cellText(t, weights, { kind, query, key, ...choice }, step, digits) {
  if (key === SINK) return weightText(sinkOf(weights, choice)?.[query] ?? 0, { digits });
  const hidden = hiddenBecause({ kind, query, key }, step, maskAt(weights, choice));
  if (hidden) return t(`tip.${hidden}`);
  if (!isHere(weights, choice)) return "…";
  const values = headWeights(weights, choice);
  const off = isOff(values, query, weights.keys);
  return weightText(values[query * weights.keys + key], { digits, off });
}

/** The token of a key, or the sink's name. @type {(t: Translate, trace: Trace, kind: Kind, key: number) => string} */
export function keyName(t, trace, kind, key) {
  return key === SINK ? t("axis.sink") : keyTokens(trace, kind)[key];
}

/** The sentence over a cell, with holes. @type {(t: Translate, kind: Kind, predicted: string | undefined) => string} */
export function tipText(t, kind, predicted) {
  if (!decodes(kind)) return t("tip.encoder");
  return predicted ? t("tip.decoder") : t("tip.reads");
}

/**
 * Of cells that share a point the one that is drawn there: the strongest that is not masked.
 *
 * @type {(weights: Weights, kind: Kind, choice: Choice, part: Part) => {query: number, key: number} | null}
 */
export function strongestIn(weights, kind, choice, { row, rows, column, columns }) {
  const [values, causal] = [headWeights(weights, choice), maskAt(weights, choice)];
  /** @type {{query: number, key: number} | null} */
  let best = null;
  let most = -1;
  for (let query = row; query < row + rows; query++) {
    for (let key = Math.max(0, column); key < Math.min(weights.keys, column + columns); key++) {
      if (isMasked(kind, query, key, causal)) continue;
      const weight = values[query * weights.keys + key];
      if (weight > most) [best, most] = [{ query, key }, weight];
    }
  }
  return best;
}

/**
 * What is marked in a head's matrix: the step's row, and the lines and the cell that are pointed at.
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
  const cell = picked?.kind === kind && sameHead(picked, choice) ? picked : null;
  const pointed = hover?.kind === kind ? hover : cell;
  const { rows, columns } = crosshair(kind, { hover, token });
  return {
    step: trace && isStep(trace, kind) ? step : null,
    bare: !decodes(kind),
    lines: { rows, columns: columns.map((key) => key + shift) },
    pointed: pointed && { query: pointed.query, key: pointed.key + shift },
  };
}
