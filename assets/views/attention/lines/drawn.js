/** What the view of lines draws, from the trace and its settings. */

import { placeOfLines } from "../../../state/lines.js";
import { amongPair } from "../../../state/pair.js";
import { isOneHead } from "../../../trace/choice.js";
import { isAhead } from "../../../trace/kinds.js";
import { headCount, headWeights, maskAt, weightsOf } from "../../../trace/weights.js";

/** @import { State } from "../../../state/state.js" */

/** Heights in CSS pixels: a token's, within these bounds, makes that of the picture. */
const ROW = { least: 20, most: 44, together: 560 };

/** @typedef {NonNullable<ReturnType<typeof drawnLines>>} Drawn */

/**
 * @typedef {object} Standout  which lines stand out
 * @property {Set<number>} rows
 * @property {Set<number>} columns
 * @property {boolean} pointed  rather than where the step is
 * @property {boolean} cell  one line of each head, between a row and a column
 */

/**
 * @param {State} state
 * @returns what is drawn, as long as the trace and the settings stay; null without a trace
 */
export function drawnLines(state) {
  const { trace, lines, theme, hiding, step } = state;
  const place = placeOfLines(state);
  const whole = place && trace?.weights[place.kind];
  if (!trace || !whole) return null;
  const { kind } = place;
  const chosen = state.heads[kind];
  const follows = lines.layer === null && lines.heads === null;
  // Several heads joined are drawn as one: a mean, a maximum.
  const joined = follows && chosen && !isOneHead(chosen) ? chosen : null;
  const wished = lines.heads ?? (lines.layer === null ? [chosen?.head] : "all");
  const pressed = [...Array(headCount(whole, place.layer)).keys()].filter(
    (head) => !joined && (wished === "all" || wished.includes(head)),
  );
  const share = Math.floor(ROW.together / Math.max(whole.queries, whole.keys));
  const row = Math.max(ROW.least, Math.min(ROW.most, share));
  const strokes = joined
    ? {
        weights: weightsOf(headWeights(whole, joined), {
          ...{ layers: 1, heads: 1, queries: whole.queries, keys: whole.keys },
          causal: maskAt(whole, joined),
        }),
        ...{ layer: 0, heads: [0] },
      }
    : { weights: whole, layer: place.layer, heads: pressed };
  const settings = { threshold: lines.threshold, theme, row };
  /** @param {number} query */
  const seen = (query) => !hiding || !isAhead(kind, query, step);
  const among = amongPair(state, kind) ?? (() => true);
  return { among, trace, kind, whole, place, joined, pressed, seen, ...strokes, ...settings };
}

/** @type {(drawn: Pick<Drawn, "seen" | "among">, light: Standout, query: number, key: number) => boolean} */
export function standsOut({ seen, among }, { rows, columns, cell }, query, key) {
  if (!seen(query) || !among(query, key)) return false;
  const [row, column] = [rows.has(query), columns.has(key)];
  return cell ? row && column : row || column;
}
