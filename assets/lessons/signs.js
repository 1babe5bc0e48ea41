/**
 * How a bug is known: what it does to the numbers of the patient that is shown, beside those of the
 * healthy model on the same tokens. Nothing here knows which patient has which bug.
 */

import { briefText, numberText } from "../kit/numbers.js";
import { everyHead } from "../trace/choice.js";
import { KINDS } from "../trace/kinds.js";
import { dot } from "../trace/vectors.js";
import { headWeights, sameShape } from "../trace/weights.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @import { Judge, Verdict } from "./stop.js" */

/** @typedef {Judge<{context: Context, healthy: Trace}, Promise<Verdict> | Verdict>} Sign */

/** Numbers that the page is sent are rounded by less. */
const ROUNDING = 2e-3;

/** @type {Record<import("../state/patients.js").Bug, Sign>} */
export const SIGNS = {
  causal: (_, trace) => halvesSign(trace, (above, below) => above > 0 && below > 0),
  inverted: (_, trace) => halvesSign(trace, (above, below) => above > 0 && below === 0),
  async scale({ context, healthy }, trace) {
    const { query, key, scores } = await numbersOf(context, trace, 0);
    const size = query[0].length;
    const sizes = Array.from(scores[0], Math.abs);
    const most = sizes.indexOf(Math.max(...sizes));
    const [score, product] = [scores[0][most], dot(query[0], key[most])];
    return {
      // What is divided is smaller than what is not, by √d_head.
      outcome: Math.abs(score - product) < Math.abs(product) * 0.01 ? "met" : "not",
      values: {
        ...{ product: briefText(product), size, score: briefText(score) },
        should: briefText(product / Math.sqrt(size)),
        ...{ entropy: briefText(meanEntropy(trace)), usual: briefText(meanEntropy(healthy)) },
      },
    };
  },
  async positions({ context, healthy }, trace) {
    const [a, b] = firstUnequal(trace.src);
    const moved = await Promise.all(
      [trace, healthy].map(async (one) =>
        swapDistance(one, await swapped(context, one, a, b), a, b),
      ),
    );
    return {
      outcome: moved[0] < ROUNDING && moved[1] > ROUNDING ? "met" : "not",
      values: {
        ...{ one: trace.src[a], other: trace.src[b] },
        ...{ moved: numberText(moved[0]), usual: numberText(moved[1]) },
      },
    };
  },
  async mixed({ context, healthy }, trace) {
    const heads = trace.weights.encoder_self?.heads ?? 1;
    const [patient, ...right] = await Promise.all([
      numbersOf(context, trace, 0),
      ...Array.from({ length: heads }, (_, head) => numbersOf(context, healthy, head)),
    ]);
    const length = patient.query.length;
    // What a view without its transpose puts into row t of the first head.
    const wrong = patient.query.map((_, row) => right[row % heads].query[Math.floor(row / heads)]);
    const far = (/** @type {Float32Array[]} */ rows) =>
      Math.max(
        ...patient.query.flatMap((row, t) => Array.from(row, (x, i) => Math.abs(x - rows[t][i]))),
      );
    const [shuffled, straight] = [far(wrong), far(right[0].query)];
    return {
      outcome: shuffled < ROUNDING && straight > ROUNDING ? "met" : "not",
      values: {
        ...{ token: trace.src[1], owner: trace.src[Math.floor(1 / heads)], head: (1 % heads) + 1 },
        ...{ last: trace.src[Math.floor((length - 1) / heads)], shuffled: numberText(shuffled) },
        straight: numberText(straight),
      },
    };
  },
  unshifted({ healthy }, trace) {
    const [copied, usual] = [copies(trace), copies(healthy)];
    const rows = trace.tgt_in.length - 1;
    return {
      outcome: rows > 0 && copied === rows && usual < rows ? "met" : "not",
      values: { copied, usual, rows },
    };
  },
};

/** @type {(trace: Trace, isPresent: (above: number, below: number) => boolean) => Verdict} */
function halvesSign(trace, isPresent) {
  const { above, below } = halves(trace.weights.decoder_self);
  const values = { above: briefText(above), below: briefText(below) };
  return { outcome: isPresent(above, below) ? "met" : "not", values };
}

/**
 * How much of a row lies above the diagonal and below it, in the mean.
 *
 * @param {import("../trace/weights.js").Weights | undefined} weights
 */
export function halves(weights) {
  let [above, below] = [0, 0];
  if (!weights) return { above, below };
  const { queries, keys } = weights;
  const choices = everyHead(weights);
  for (const choice of choices) {
    for (const [i, weight] of headWeights(weights, choice).entries()) {
      const [row, key] = [Math.floor(i / keys), i % keys];
      if (key > row) above += weight;
      if (key < row) below += weight;
    }
  }
  const rows = choices.length * queries;
  return { above: above / rows, below: below / rows };
}

/**
 * The mean entropy of all rows of all heads, in nats.
 *
 * @param {Trace} trace
 */
export function meanEntropy({ weights }) {
  let [sum, rows] = [0, 0];
  for (const kind of KINDS) {
    const own = weights[kind];
    if (!own) continue;
    for (const choice of everyHead(own)) {
      for (const weight of headWeights(own, choice)) {
        if (weight > 0) sum -= weight * Math.log(weight);
      }
      rows += own.queries;
    }
  }
  return sum / rows;
}

/**
 * In how many rows, from the second on, the likeliest token is the one that was just read.
 *
 * @param {Trace} trace
 */
export function copies({ candidates, tgt_ids }) {
  return candidates.slice(1).filter(([likeliest], i) => likeliest.id === tgt_ids[i]).length;
}

/**
 * How far weights of the encoder differ once two tokens have changed places, if each is compared where
 * it went.
 *
 * @type {(one: Trace, other: Trace, a: number, b: number) => number}
 */
export function swapDistance(one, other, a, b) {
  const [mine, its] = [one.weights.encoder_self, other.weights.encoder_self];
  if (!mine || !its || !sameShape(mine, its)) return Number.POSITIVE_INFINITY;
  const { keys } = mine;
  const went = (/** @type {number} */ i) => (i === a ? b : i === b ? a : i);
  let most = 0;
  for (const choice of everyHead(mine)) {
    const there = headWeights(its, choice);
    for (const [i, weight] of headWeights(mine, choice).entries()) {
      const [row, key] = [Math.floor(i / keys), i % keys];
      most = Math.max(most, Math.abs(there[went(row) * keys + went(key)] - weight));
    }
  }
  return most;
}

/**
 * The first token, and the first that is another.
 *
 * @param {string[]} tokens
 */
function firstUnequal(tokens) {
  const other = tokens.findIndex((token) => token !== tokens[0]);
  return [0, Math.max(1, other)];
}

/** @type {(context: Context, trace: Trace, a: number, b: number) => Promise<Trace>} */
function swapped({ traceOf }, { model, source, interventions = [], tgt_ids: prefix }, a, b) {
  const letters = [...source.trim()];
  [letters[a], letters[b]] = [letters[b], letters[a]];
  const other = letters.join("");
  return traceOf({ model, source: other, sampling: null, interventions, taught: null }, prefix);
}

/**
 * Numbers of the encoder's first layer, which reads what no other layer has changed.
 *
 * @param {Context} context
 * @param {Trace} trace
 * @param {number} head
 */
function numbersOf({ about }, trace, head) {
  return about(trace).head({ kind: "encoder_self", layer: 0, head });
}
