/** How attention came to be: a checkpoint's history, its weights unpacked one moment at a time. */

import { KINDS } from "./kinds.js";
import { bytesOf } from "./unpack.js";
import { weightsOf } from "./weights.js";

/** @import { Kind, Tokens } from "./kinds.js" */
/** @import { Weights } from "./weights.js" */
/** @typedef {{step: number} & Partial<Record<Measure, number>>} CurvePoint */
/** @typedef {typeof MEASURES[number]} Measure */

/** What a learning curve can hold: losses in nats a token, then scores up to 100. */
export const MEASURES = /** @type {const} */ (["train_loss", "dev_loss", "bleu", "chrf", "right"]);

/** @typedef {(moment: number) => Partial<Record<Kind, Weights>>} Moments  those shown before cost nothing */
/** @typedef {Partial<Record<Kind, {shape: number[], dtype: string, data: string | Uint8Array<ArrayBuffer>}>>} PackedMoments  [moment, layer, head, query, key] */

/**
 * @typedef {object} HistoryPayload
 * @property {number[]} steps  of training, one a moment, rising
 * @property {(Tokens & {source: string, target: string})[]} pairs
 * @property {CurvePoint[]} curve
 * @property {Partial<Record<Kind, number[][][]>>} sharpness  [moment][layer][head]
 * @property {Partial<Record<Kind, number>>} by_chance
 * @property {Partial<Record<Kind, (number | null)[][]>>} sharp_from  [layer][head]: a step
 * @property {number} sharp_at_first  how many heads
 * @property {number} heads  of how many
 * @property {boolean} starts_with_structure
 * @property {PackedMoments} weights  of one pair
 */

/**
 * @typedef {Omit<HistoryPayload, "weights"> & {at: Moments, end: number}} History  `end`: the last step
 *   that there will be
 */

/** Reads a training's history out of an answer. @type {(payload: HistoryPayload) => History} */
export function parseHistory({ weights, ...rest }) {
  return { ...rest, at: unpackMoments(weights), end: rest.steps[rest.steps.length - 1] };
}

/** Unpacks the weights of each moment of a history, once it is asked for. @type {(weights: PackedMoments) => Moments} */
export function unpackMoments(weights) {
  const packed = KINDS.flatMap((kind) => {
    const array = weights[kind];
    if (!array) return [];
    if (array.dtype !== "uint8") throw new TypeError(`a history is uint8, not ${array.dtype}`);
    return [{ kind, shape: array.shape, bytes: bytesOf(array.data) }];
  });
  /** @type {Map<number, Partial<Record<Kind, Weights>>>} */
  const unpacked = new Map();
  return (moment) => {
    const before = unpacked.get(moment);
    if (before) return before;
    /** @type {Partial<Record<Kind, Weights>>} */
    const kinds = {};
    for (const { kind, shape, bytes } of packed) {
      const [, layers, heads, queries, keys] = shape;
      const size = layers * heads * queries * keys;
      const data = Float32Array.from(
        bytes.subarray(moment * size, (moment + 1) * size),
        (byte) => byte / 255,
      );
      kinds[kind] = weightsOf(data, { layers, heads, queries, keys });
    }
    unpacked.set(moment, kinds);
    return kinds;
  };
}

/**
 * The moment that is nearest to a training step.
 *
 * @param {number[]} steps
 * @param {number | null} step  null: the last
 */
export function momentAt(steps, step) {
  if (step === null) return steps.length - 1;
  const distances = steps.map((other) => Math.abs(other - step));
  return distances.indexOf(Math.min(...distances));
}

/**
 * Where a training step lies on a logarithmic axis: 0 is the first moment, 1 the end. Most is learnt
 * early, and histories look there most often.
 *
 * @param {{steps: number[], end: number}} history
 * @param {number} step
 */
export function placeOf({ steps, end }, step) {
  const [first, last] = [Math.log1p(steps[0]), Math.log1p(end)];
  if (first === last) return 0;
  return Math.max(0, Math.min(1, (Math.log1p(step) - first) / (last - first)));
}

/**
 * The moment that is nearest to a place on that axis.
 *
 * @param {{steps: number[], end: number}} history
 * @param {number} place  0 to 1
 */
export function momentNear(history, place) {
  const distances = history.steps.map((step) => Math.abs(placeOf(history, step) - place));
  return distances.indexOf(Math.min(...distances));
}

/** The least distance of two names on the axis, as a share of it. */
const APART = 0.08;

/**
 * The steps that such an axis names: the first moment's, the end, and the powers of ten that have
 * room between them.
 *
 * @param {{steps: number[], end: number}} history
 */
export function namedSteps(history) {
  const [first, last] = [history.steps[0], history.end];
  const tens = Array.from({ length: 9 }, (_, power) => 10 ** power).filter((ten) => {
    const place = placeOf(history, ten);
    return ten > first && ten < last && place >= APART && place <= 1 - APART;
  });
  return [...new Set([first, ...tens, last])];
}

/**
 * Whether a head is sharp, by its mean largest weight: at least half-way from even attention to one
 * token, as the server counts.
 *
 * @param {number} sharpness
 * @param {number} byChance  that of a head that attends to everything evenly
 */
export function isSharp(sharpness, byChance) {
  return sharpness >= (1 + byChance) / 2;
}

/**
 * What a film's first moment shows: noise; weights that have been given structure before any step; or a
 * model that has learnt for a while.
 *
 * @param {Pick<History, "starts_with_structure" | "steps">} history
 */
export function beginningOf({ starts_with_structure, steps }) {
  return starts_with_structure ? "structure" : steps[0] === 0 ? "noise" : "later";
}
