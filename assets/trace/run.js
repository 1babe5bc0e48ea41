/** The run of a correction, moment by moment: 0 is before its first step, k after k of them. */

import { unpackMoments } from "./history.js";
import { KINDS } from "./kinds.js";
import { unpackRows } from "./unpack.js";
import { headCount, headWeights } from "./weights.js";

/** @import { Kind } from "./kinds.js" */
/** @import { PackedArray } from "./unpack.js" */
/** @typedef {{source: string, before: string, after: string}} OtherSentence  that the correction was not about */

/**
 * @typedef {object} RunPayload
 * @property {string[]} src
 * @property {string[]} tgt_in  what the decoder reads
 * @property {string[]} tgt_out  the labels, one off
 * @property {boolean[]} counts  [label]: whether the loss counts it
 * @property {(number | null)[]} losses  [moment], nats; null is no number any longer
 * @property {PackedArray} probabilities  [moment, label]
 * @property {string[][]} likeliest  [moment][label]
 * @property {string[]} parts  "encoder.L1.self_attention", …, "output"
 * @property {Record<string, string>} shared  parts whose matrix is another part's
 * @property {PackedArray} gradients  [step, part]
 * @property {Partial<Record<Kind, PackedArray>>} head_gradients  [step, layer, head]
 * @property {string[]} outputs  [moment]
 * @property {number | null} learnt  the first moment at which the model says the target
 * @property {"rose" | "not_a_number" | null} undone  why all was undone, if it was
 * @property {number | null} rose  the first moment whose loss is higher than at first
 * @property {{source: string, target: string, how: string, steps: number, rate: number, optimizer: string}} correction
 * @property {{steps: number[], weights: import("./history.js").PackedMoments}} film  of some moments
 * @property {{sentences: OtherSentence[], examples: number, changed: number} | null} forgetting  null: all was undone
 */

/**
 * @typedef {Omit<RunPayload, "losses" | "probabilities" | "gradients" | "head_gradients" | "film"> & {
 *   losses: number[],
 *   probabilities: Float32Array[],
 *   gradients: Float32Array[],
 *   head_gradients: Partial<Record<Kind, {layers: number, heads: number, steps: Float32Array[]}>>,
 *   film: {steps: number[], at: import("./history.js").Moments},
 * }} Run
 */

/** Reads a correction's run out of an answer. @type {(payload: RunPayload) => Run} */
export function parseRun({ losses, probabilities, gradients, head_gradients, film, ...rest }) {
  /** @type {Run["head_gradients"]} */
  const byHead = {};
  for (const kind of KINDS) {
    const packed = head_gradients[kind];
    if (!packed) continue;
    const [, layers, heads] = packed.shape;
    byHead[kind] = { layers, heads, steps: unpackRows(packed) };
  }
  return {
    ...rest,
    losses: losses.map((loss) => loss ?? Number.NaN),
    probabilities: unpackRows(probabilities),
    gradients: unpackRows(gradients),
    head_gradients: byHead,
    film: { steps: film.steps, at: unpackMoments(film.weights) },
  };
}

/**
 * What it cost: what is said of all sentences but the one that the correction was about.
 *
 * @param {Run} run
 */
export function costOf({ forgetting, correction }) {
  const { sentences = [], examples = 0 } = forgetting ?? {};
  const own = sentences.findIndex(({ source }) => source === correction.source);
  const others = sentences.filter(({ source }) => source !== correction.source);
  return {
    sentences: others,
    changed: others.filter(({ before, after }) => before !== after),
    examples: own >= 0 && own < examples ? examples - 1 : examples,
  };
}

/** The probability from which on a label is called sure. */
export const SURE = 0.5;

/**
 * One label as the loss sees it.
 *
 * @typedef {object} Label
 * @property {string} reads
 * @property {string} label
 * @property {boolean} counts
 * @property {number} before  its probability before the correction
 * @property {number} now
 * @property {number} loss  −ln of it; NaN where there is no number any longer
 * @property {number} lossBefore
 * @property {string | undefined} says  what the model would say there instead; undefined: this very label
 */

/** The labels of a correction's target at a moment, each with its probability before and now. @type {(run: Run, moment: number) => Label[]} */
export function labelsAt({ tgt_in, tgt_out, counts, probabilities, likeliest }, moment) {
  return tgt_out.map((label, i) => {
    const [before, now] = [probabilities[0][i], probabilities[moment][i]];
    const says = likeliest[moment][i];
    return {
      ...{ reads: tgt_in[i], label, counts: counts[i], before, now },
      ...{ loss: surprise(now), lossBefore: surprise(before) },
      says: says === label ? undefined : says,
    };
  });
}

/** @param {number} probability */
function surprise(probability) {
  return 0 - Math.log(probability);
}

/**
 * The label that the model expected least, of those that count.
 *
 * @param {Label[]} labels
 */
export function mostSurprising(labels) {
  const counted = labels.filter(({ counts }) => counts);
  return counted.reduce((worst, each) => (each.now < worst.now ? each : worst), counted[0]);
}

/** @type {WeakMap<import("./weights.js").Weights, number[][]>}  by the weights of now */
const moved = new WeakMap();

/**
 * How far each head's rows have moved: the mean over its rows of half the sum of all differences, which
 * is the share of the weight that went elsewhere.
 *
 * @param {import("./weights.js").Weights} before
 * @param {import("./weights.js").Weights} now
 * @returns {number[][]}  [layer][head], 0 to 1
 */
export function movedWeight(before, now) {
  const earlier = moved.get(now);
  if (earlier) return earlier;
  const { layers, queries } = before;
  const shares = Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: headCount(before, layer) }, (_, head) => {
      const [then, after] = [before, now].map((each) => headWeights(each, { layer, head }));
      let sum = 0;
      for (let i = 0; i < then.length; i++) sum += Math.abs(after[i] - then[i]);
      return sum / 2 / queries;
    }),
  );
  moved.set(now, shares);
  return shares;
}
