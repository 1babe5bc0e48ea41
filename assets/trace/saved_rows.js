/** Whether the rows of a saved trace add up, of either version. */

import { everyHead } from "./choice.js";
import { Unreadable } from "./fields.js";
import { parseIntervention } from "./interventions.js";
import { isMasked } from "./kinds.js";
import { headCount, headWeights, maskAt, sinkOf } from "./weights.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Trace } from "./trace.js" */
/** @import { Weights } from "./weights.js" */

/**
 * A row and its sink sum to 1; one that an intervention switched off to 0, and of version 2 also one
 * that may attend to nothing.
 *
 * @param {Pick<Trace, "weights" | "interventions" | "version">} trace
 * @param {Kind} kind
 * @param {number} tolerance  how far the sum of a row may be from what it is to be
 * @throws {Unreadable}
 */
export function checkRows(trace, kind, tolerance) {
  const weights = trace.weights[kind];
  if (!weights) return;
  const { queries, keys } = weights;
  const isOff = rowsOff(trace.interventions ?? [], kind, weights);
  for (const { layer, head } of everyHead(weights)) {
    const values = headWeights(weights, { layer, head });
    const mask = maskAt(weights, { layer });
    const sink = sinkOf(weights, { layer, head });
    const off = isOff.get(`${layer} ${head}`);
    for (let query = 0; query < queries; query++) {
      let sum = sink?.[query] ?? 0;
      if (!(sum >= 0 && sum <= 1 + tolerance)) throw new Unreadable("file_values", { kind });
      let seen = 0;
      for (let key = 0; key < keys; key++) {
        const weight = values[query * keys + key];
        // Not so written that NaN could pass.
        if (!(weight >= 0 && weight <= 1 + tolerance))
          throw new Unreadable("file_values", { kind });
        const masked = isMasked(kind, query, key, mask);
        if (weight > 0 && masked) throw new Unreadable("file_future", { kind });
        if (!masked) seen++;
        sum += weight;
      }
      const nothing = off?.[query] || seen === 0;
      if (Math.abs(sum - (nothing ? 0 : 1)) > tolerance && !(seen === 0 && sink)) {
        throw new Unreadable("file_sums", { kind, sum: Number(sum.toPrecision(4)) });
      }
    }
  }
}

/**
 * Which rows attend to nothing, 1 of each query by layer and head: worked out once, since there may be
 * a million rows and five hundred changes.
 *
 * @type {(interventions: string[], kind: Kind, weights: Weights) => Map<string, Uint8Array>}
 */
function rowsOff(interventions, kind, weights) {
  /** @type {Map<string, Uint8Array>} */
  const off = new Map();
  for (const text of new Set(interventions)) {
    const change = parseIntervention(text);
    if (change?.effect !== "zero" || change.kind !== kind) continue;
    for (const layer of placesOf(change.layer, weights.layers)) {
      for (const head of placesOf(change.head, headCount(weights, layer))) {
        const name = `${layer} ${head}`;
        const rows = off.get(name) ?? new Uint8Array(weights.queries);
        off.set(name, rows);
        if (change.row === undefined) rows.fill(1);
        else if (change.row < weights.queries) rows[change.row] = 1;
      }
    }
  }
  return off;
}

/** @type {(place: number | null, count: number) => number[]} */
function placesOf(place, count) {
  if (place === null) return Array.from({ length: count }, (_, i) => i);
  return place < count ? [place] : [];
}
