/**
 * Which head of each kind is worth looking at first, where the checkpoint names none
 * (`transformer/trace/representative.py`).
 */

import { headName } from "../../trace/choice.js";
import { KINDS } from "../../trace/kinds.js";
import { measureHeads } from "../../trace/measured.js";
import { CLEAR, isPunctuation } from "../../trace/roles.js";
import { parseTrace } from "../../trace/trace.js";
import { standsForNoText } from "../../trace/whole_words.js";
import { payloadOf } from "../recording/trace.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { RepresentativeHead } from "../../trace/trace.js" */

const UNCLEAR = "unclear";
const NEIGHBOURS = /** @type {const} */ (["itself", "previous", "next", "induction"]);
const RESTS = /** @type {const} */ (["first", "end", "punctuation"]);
const ROWS = /** @type {const} */ (["reads", "predicts"]);
const CLEAR_NATS = 0.1;

/**
 * The representative head of each kind, as the checkpoint names it, else of this trace alone.
 *
 * @param {Trace} trace
 * @returns {Trace["heads"]}
 */
export function representativeHeads(trace) {
  const missing = KINDS.filter((kind) => trace.weights[kind] && !trace.heads[kind]);
  if (!missing.length) return trace.heads;
  const heads = { ...trace.heads };
  /** @type {Partial<Record<Kind, import("../../trace/answers.d.ts").KindStatistics | null>>} */
  const drawn = missing.some((kind) => kind !== "cross")
    ? measureHeads(parseTrace(payloadOf(trace, "float32")))
    : {};
  for (const kind of missing) {
    const of = drawn[kind];
    if (kind === "cross")
      heads.cross = aligning(trace, /** @type {Tensor} */ (trace.weights.cross));
    else if (of) heads[kind] = clearest(of);
  }
  return heads;
}

/** @type {(of: import("../../trace/answers.d.ts").KindStatistics) => RepresentativeHead} */
function clearest({ measures, by_chance }) {
  /** @param {readonly import("../../trace/roles.js").CellRole[]} roles */
  const best = (roles) => {
    const measured = roles.filter((role) => measures[role]);
    const lifted = measured.map((role) => {
      const chance = by_chance[role] ?? null;
      const lifts = (measures[role] ?? []).map((heads) =>
        heads.map((share) => (share === null || chance === null ? 0 : share - chance)),
      );
      return { role, lifts, most: Math.max(...lifts.flat()) };
    });
    return lifted.reduce((one, other) => (other.most > one.most ? other : one));
  };
  const [neighbour, rest] = [best(NEIGHBOURS), best(RESTS)];
  for (const { role, lifts, most } of [neighbour, rest]) {
    if (most >= CLEAR) return { head: nameOf(lifts), role, row: null, opening: null };
  }
  return { head: nameOf(neighbour.lifts), role: UNCLEAR, row: null, opening: null };
}

/**
 * The cross-attention head of which a target word tells most about where it looks.
 *
 * @type {(trace: Trace, cross: Tensor) => RepresentativeHead}
 */
function aligning({ src, tgt_in }, { shape: [layers, heads, queries, keys], values }) {
  const [srcWords, tgtWords] = [wordPlaces(src, 0), wordPlaces(tgt_in, 1)];
  const scored = ROWS.map((row) => {
    // Row t reads word t; the row before it predicts it.
    const shift = row === "reads" ? 0 : 1;
    const scores = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        if (!srcWords.length || !tgtWords.length) return 0;
        const at = (layer * heads + head) * queries;
        return mutualInformation(
          tgtWords.map((t) => srcWords.map((s) => values[(at + t - shift) * keys + s])),
        );
      }),
    );
    return { row, scores, most: Math.max(...scores.flat()) };
  });
  const { row, scores, most } = scored.reduce((one, other) =>
    other.most > one.most ? other : one,
  );
  const clear = most >= CLEAR_NATS;
  return {
    head: nameOf(scores),
    role: clear ? "aligns" : UNCLEAR,
    row: clear ? row : null,
    opening: null,
  };
}

/**
 * The positions, from `start` on, of what is neither special nor punctuation.
 *
 * @param {string[]} labels
 * @param {number} start
 */
function wordPlaces(labels, start) {
  const places = [...labels.keys()].slice(start);
  return places.filter((i) => !standsForNoText(labels[i]) && !isPunctuation(labels[i]));
}

/**
 * Mutual information of row and column, in nats.
 *
 * @param {number[][]} weights
 */
function mutualInformation(weights) {
  const rows = weights.map((row) => row.reduce((sum, x) => sum + x, 0));
  const columns = weights[0].map((_, j) => weights.reduce((sum, row) => sum + row[j], 0));
  const total = rows.reduce((sum, x) => sum + x, 0);
  let information = 0;
  for (const [i, row] of weights.entries()) {
    for (const [j, x] of row.entries()) {
      if (x > 0)
        information += (x / weights.length) * Math.log((x * total) / (rows[i] * columns[j]));
    }
  }
  return information;
}

/**
 * The head that has the highest score.
 *
 * @param {number[][]} scores  [layer][head]
 */
function nameOf(scores) {
  const flat = scores.flat();
  const best = flat.indexOf(Math.max(...flat));
  const heads = scores[0].length;
  return headName({ layer: Math.floor(best / heads), head: best % heads });
}
