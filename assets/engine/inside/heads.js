/**
 * What a checkpoint ships about its heads: their statistics over its dev set
 * (`transformer/inside/heads.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { clearRole } from "../../trace/measured.js";
import { MEASURES } from "../../trace/statistics.js";
import { nested } from "../recording/packing.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { KindStatistics } from "../../trace/answers.d.ts" */
/** @import { MeasuredHeads } from "../checkpoint/folder.js" */

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

/** @type {(measured: MeasuredHeads, kind: Kind) => KindStatistics | null} */
function ofKind({ arrays, labels }, kind) {
  const about = labels.kinds[kind];
  if (!about) return null;
  /** @type {KindStatistics["measures"]} */
  const measures = {};
  for (const name of MEASURES) {
    const array = arrays.get(`${kind}.${name}`);
    if (!array) continue;
    const values = new Float32Array(array.bytes.slice().buffer);
    measures[name] = nested({ shape: array.shape, values });
  }
  const by_chance = Object.fromEntries(
    Object.entries(about.by_chance).map(([name, x]) => [name, Number.isFinite(x) ? x : null]),
  );
  const [layers, count] = arrays.get(`${kind}.sharpness`)?.shape ?? [0, 0];
  const roles = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: count }, (_, head) => {
      const own = MEASURES.map((name) => [name, measures[name]?.[layer]?.[head] ?? null]);
      return clearRole(kind, Object.fromEntries(own), by_chance);
    }),
  );
  return { measures, by_chance, roles, rows: about.rows };
}
