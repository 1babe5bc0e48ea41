/**
 * What a checkpoint ships about its heads: their statistics over its dev set
 * (`transformer/inside/shipped.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { CLEAR, ROLES_OF } from "../../trace/roles.js";
import { MEASURES } from "../../trace/statistics.js";
import { nested } from "../recording/packing.js";

/** @typedef {import("../../trace/kinds.js").Kind} Kind */
/** @typedef {import("../../trace/statistics.js").KindStatistics} KindStatistics */
/** @typedef {import("../checkpoint/folder.js").MeasuredHeads} MeasuredHeads */

/**
 * What each head does over the model's dev set; null if the checkpoint came without it.
 *
 * @param {import("../translator.js").Translator} translator
 */
export async function heads({ measuredHeads }) {
  if (!measuredHeads) return { corpus: null };
  const { sentences } = measuredHeads.labels;
  const [encoder_self, decoder_self, cross] = KINDS.map((kind) => ofKind(measuredHeads, kind));
  return { corpus: { encoder_self, decoder_self, cross, sentences } };
}

/**
 * @param {MeasuredHeads} measured
 * @param {Kind} kind
 * @returns {KindStatistics | null}
 */
function ofKind({ arrays, labels }, kind) {
  const told = labels.kinds[kind];
  if (!told) return null;
  /** @type {KindStatistics["measures"]} */
  const measures = {};
  for (const name of MEASURES) {
    const array = arrays.get(`${kind}.${name}`);
    if (!array) continue;
    const values = new Float32Array(array.bytes.slice().buffer);
    measures[name] = nested({ shape: array.shape, values });
  }
  const by_chance = Object.fromEntries(
    Object.entries(told.by_chance).map(([name, x]) => [name, Number.isFinite(x) ? x : null]),
  );
  const [layers, count] = arrays.get(`${kind}.sharpness`)?.shape ?? [0, 0];
  const roles = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: count }, (_, head) => roleOf(kind, measures, by_chance, layer, head)),
  );
  return { measures, by_chance, roles, rows: told.rows };
}

/**
 * What a head's attention exceeds chance at most; null if it does not clearly.
 *
 * @param {Kind} kind
 * @param {KindStatistics["measures"]} measures
 * @param {Record<string, number | null>} by_chance
 * @param {number} layer
 * @param {number} head
 */
function roleOf(kind, measures, by_chance, layer, head) {
  /** @type {string | null} */
  let found = null;
  let highest = CLEAR;
  for (const role of ROLES_OF[kind]) {
    const share = measures[role]?.[layer]?.[head] ?? Number.NaN;
    const lift = share - (by_chance[role] ?? Number.NaN);
    if (lift >= highest) [found, highest] = [role, lift];
  }
  return found;
}
