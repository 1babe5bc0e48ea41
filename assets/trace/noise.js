/** A toy that learns from noise, as a history that grows while it is watched. */

import { isSharp, unpackMoments } from "./history.js";
import { KINDS } from "./kinds.js";
import { measureHeads } from "./measured.js";

/** @import { History } from "./history.js" */
/** @import { Kind } from "./kinds.js" */
/** @import { Weights } from "./weights.js" */

/**
 * What the server tells to who knows some moments already.
 *
 * @typedef {object} News
 * @property {boolean} done
 * @property {number} steps  of the whole run
 * @property {History["pairs"]} pairs  the one that is watched
 * @property {Moment[]} moments
 * @property {import("./history.js").PackedMoments} weights
 */

/**
 * @typedef {object} Moment
 * @property {number} step
 * @property {number} loss  nats a token
 * @property {string} output  what it makes of the watched word
 * @property {number} right  the share of unseen words that it makes of what it is to
 */

/**
 * @typedef {Moment & {weights: Partial<Record<Kind, Weights>>, measured: ReturnType<typeof measureHeads>}} Seen
 */

/** @typedef {{done: boolean, steps: number, pairs: History["pairs"], moments: Seen[]}} Growing */

/** @type {Growing} */
export const NOTHING_YET = { done: false, steps: 0, pairs: [], moments: [] };

/** A toy's moments with those that are new. @type {(before: Growing, news: News) => Growing} */
export function withNews(before, { done, steps, pairs, moments, weights }) {
  const at = unpackMoments(weights);
  const seen = moments.map((moment, i) => {
    const weights = at(i);
    return { ...moment, weights, measured: measureHeads({ ...pairs[0], weights }) };
  });
  return { done, steps, pairs, moments: [...before.moments, ...seen] };
}

/**
 * What is known of it, as every film is drawn.
 *
 * @param {Growing} growing  with a moment at least
 * @returns {History}
 */
export function historyOfNoise({ steps: end, pairs, moments }) {
  const steps = moments.map(({ step }) => step);
  /** @type {Pick<History, "sharpness" | "by_chance" | "sharp_from">} */
  const byKind = { sharpness: {}, by_chance: {}, sharp_from: {} };
  for (const kind of KINDS) {
    const each = moments.flatMap(({ measured }) => measured[kind] ?? []);
    if (!each.length) continue;
    const sharpness = each.map(({ measures }) =>
      (measures.sharpness ?? []).map((heads) => heads.map((sharp) => sharp ?? 0)),
    );
    const chance = each[0].by_chance.sharpness ?? 0;
    byKind.sharpness[kind] = sharpness;
    byKind.by_chance[kind] = chance;
    byKind.sharp_from[kind] = sharpness[0].map((heads, layer) =>
      heads.map((_, head) => {
        const sharp = sharpness.map((moment) => isSharp(moment[layer][head], chance));
        const since = sharp.lastIndexOf(false) + 1;
        return since < sharp.length ? steps[since] : null;
      }),
    );
  }
  return {
    ...{ steps, pairs, end, ...byKind },
    curve: moments.map(({ step, loss, right }) => ({ step, train_loss: loss, right: 100 * right })),
    ...{ sharp_at_first: 0, heads: 0, starts_with_structure: false },
    at: (moment) => moments[moment].weights,
  };
}
