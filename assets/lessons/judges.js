/** Each exercise's judge: a pure function of what the page shows. No answer is stored. */

import { briefText, numberText, probabilityText } from "../kit/numbers.js";
import { everyHead, headName, isOneHead } from "../trace/choice.js";
import { emittedProbability } from "../trace/comparison.js";
import { parseIntervention, placeName } from "../trace/interventions.js";
import { isMasked, keyTokens, queryTokens } from "../trace/kinds.js";
import { measureHeads } from "../trace/measured.js";
import { CLEAR } from "../trace/roles.js";
import { promptLength } from "../trace/tree.js";
import { headWeights } from "../trace/weights.js";

/** @import { Trace } from "../trace/trace.js" */
/** @import { Kind } from "../trace/kinds.js" */
/** @typedef {{layer: number, head: number}} Head */
/** @import { State } from "../state/state.js" */
/** @import { Verdict } from "./stop.js" */

/**
 * What a judge sees; `earlier` is what the same model did with the last other text.
 *
 * @typedef {Pick<State, "trace" | "before" | "heads" | "kind" | "picked" | "tree"> & {earlier: Trace | null}} Seen
 */

/** @typedef {import("./stop.js").Judge<Seen>} ExerciseJudge */

/** A head aligns that covers the source nearly as well as the one that does so best. */
const NEARLY = 0.85;

/** Times what chance gives that are no chance; where chance gives much, half of a row is. */
const CLEARLY = { times: 2, half: 1.5 };

/** Nats a token: its probability changes by a twentieth. */
const HARDLY = 0.05;

/** Tokens of filling, as a batch might add them. */
const FILLING = 4;

const SPECIAL = /^<.*>$/;

/** @satisfies {Record<string, ExerciseJudge>} */
export const JUDGES = {
  aligns({ kind, heads }, trace) {
    const { cross } = trace.weights;
    if (!cross) return { outcome: "no_encoder" };
    const name = heads[kind];
    if (kind !== "cross" || !isOneHead(name)) return null;
    const covered = (/** @type {Head} */ head) => coverage(headWeights(cross, head), trace);
    const score = covered(name);
    const best = Math.max(...everyHead(cross).map(covered));
    const values = { head: headName(name), score: briefText(score), best: briefText(best) };
    return { outcome: score >= NEARLY * best ? "met" : "near", values };
  },
  looks_back: (seen, trace) =>
    rests(seen, trace, (kind, row) => (kind === "cross" || row === 0 ? null : row - 1)),
  rests: (seen, trace) =>
    rests(seen, trace, (kind, row) => {
      if (kind === "decoder_self") return row === 0 ? null : 0;
      return trace.src.length - 1;
    }),
  padding({ picked }, trace) {
    const weights = picked && trace.weights[picked.kind];
    if (!picked || !weights) return null;
    const { kind, query, key } = picked;
    const values = {
      query: queryTokens(trace, kind)[query],
      key: keyTokens(trace, kind)[key],
      weight: briefText(headWeights(weights, picked)[query * weights.keys + key]),
      filling: FILLING,
      length: keyTokens(trace, kind).length + FILLING,
    };
    return { outcome: isMasked(kind, query, key, weights.causal) ? "met" : "near", values };
  },
  nothing(seen, trace) {
    const off = oneHeadOff(seen, trace);
    if (!off?.before) return off?.verdict ?? null;
    const { head, before } = off;
    if (wordsDiffer(before, trace)) return { outcome: "words", values: head };
    const change = meanChange(before, trace);
    const values = { ...head, change: numberText(change) };
    return { outcome: change <= HARDLY ? "met" : "near", values };
  },
  breaks(seen, trace) {
    const off = oneHeadOff(seen, trace);
    if (!off?.before) return off?.verdict ?? null;
    const { head, before } = off;
    if (wordsDiffer(before, trace)) {
      const values = { ...head, was: before.translation, now: trace.translation };
      return { outcome: "met", values };
    }
    return { outcome: "near", values: { ...head, change: numberText(meanChange(before, trace)) } };
  },
  one_row({ earlier }, trace) {
    if (!trace.weights.cross) return { outcome: "no_encoder" };
    if (!earlier || trace.interventions?.length) return null;
    /** @type {(outcome: string, one: string[], other: string[]) => Verdict} */
    const uneven = (outcome, { length: first }, { length: second }) => ({
      ...{ outcome, values: { first, second } },
    });
    const sources = places(earlier.src, trace.src);
    const targets = places(earlier.tgt_out, trace.tgt_out);
    if (!sources) return uneven("length", earlier.src, trace.src);
    if (sources.length !== 1) return { outcome: "source", values: { count: sources.length } };
    if (!targets) return uneven("rows", earlier.tgt_out, trace.tgt_out);
    if (targets.length !== 1) return { outcome: "target", values: { count: targets.length } };
    const [[from], [row]] = [sources, targets];
    const values = {
      ...{ row: row + 1, was: earlier.tgt_out[row], now: trace.tgt_out[row] },
      ...{ first: earlier.src[from], second: trace.src[from] },
    };
    return { outcome: "met", values };
  },
  branch({ tree }, trace) {
    const [trunk] = tree;
    const branch = tree.find((one) => one.trace === trace);
    if (!trunk || !branch || branch === trunk) return null;
    const first = promptLength(tree);
    const step = places(trunk.trace.tgt_out, trace.tgt_out, true)?.[0] ?? first;
    if (step > first) return { outcome: "near", values: { step: step + 1 } };
    const values = {
      ...{ was: trunk.trace.tgt_out[first], now: trace.tgt_out[first] },
      ...{ text: trace.translation, before: trunk.trace.translation },
    };
    return { outcome: "met", values };
  },
  guessed(_, { hidden = [], candidates }) {
    const guesses = hidden.map(({ at, token, id }) => {
      const [first] = candidates[at] ?? [];
      return {
        token,
        right: first?.id === id,
        guess: first?.token ?? "",
        share: first?.probability,
      };
    });
    const shown = guesses.find(({ right }) => !right) ?? guesses[0];
    if (!shown?.share) return null;
    const { token, guess, right } = shown;
    const values = { token, guess, probability: probabilityText(shown.share) };
    return { outcome: right ? "met" : "near", values };
  },
  induction({ heads }, trace) {
    const choice = heads.decoder_self;
    if (!isOneHead(choice)) return null;
    const measured = measureHeads(trace).decoder_self;
    const chance = measured?.by_chance.induction ?? null;
    const shares = measured?.measures.induction ?? [];
    const best = Math.max(...shares.flat().map((share) => share ?? 0));
    // Too few tokens come again, or no head does anything with it.
    if (chance === null || best - chance < CLEAR) return { outcome: "none" };
    const weight = shares[choice.layer][choice.head] ?? 0;
    const values = {
      ...{ head: headName(choice), weight: briefText(weight) },
      ...{ chance: briefText(chance), best: briefText(best) },
    };
    return { outcome: weight - chance >= CLEAR ? "met" : "near", values };
  },
};

/**
 * Whether the chosen head gives one place of each row much more than chance would; the same measured
 * of every head of its kind, so that nobody looks for what is not there.
 *
 * @param {Seen} seen
 * @param {Trace} trace
 * @param {(kind: Kind, row: number) => number | null} place  null: the row has none
 * @returns {Verdict | null}
 */
function rests({ kind, heads }, trace, place) {
  const choice = heads[kind];
  const weights = trace.weights[kind];
  if (!isOneHead(choice) || !weights) return null;
  /** @type {[row: number, key: number, seen: number][]} */
  const cells = [];
  for (let row = 0; row < weights.queries; row++) {
    const key = place(kind, row);
    const visible = Array.from({ length: weights.keys }, (_, at) => at).filter(
      (at) => !isMasked(kind, row, at, weights.causal),
    );
    if (key !== null && visible.includes(key)) cells.push([row, key, visible.length]);
  }
  if (!cells.length) return kind === "cross" ? { outcome: "kind" } : null;
  const share = (/** @type {Head} */ head) => {
    const values = headWeights(weights, head);
    return mean(cells.map(([row, key]) => values[row * weights.keys + key]));
  };
  const chance = mean(cells.map(([, , visible]) => 1 / visible));
  const weight = share(choice);
  const best = Math.max(...everyHead(weights).map(share));
  const values = {
    ...{ head: headName(choice), token: keyTokens(trace, kind)[cells[0][1]] },
    ...{ weight: briefText(weight), chance: briefText(chance), best: briefText(best) },
  };
  const isClear = (/** @type {number} */ x) =>
    x >= CLEARLY.times * chance || x >= Math.max(0.5, CLEARLY.half * chance);
  return { outcome: isClear(weight) ? "met" : isClear(best) ? "near" : "none", values };
}

/** The mean of values; of nothing, 0. @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * How much of a row each word of the source has to itself where it has most, in the mean: 1 if each
 * word has a row that looks at nothing else.
 *
 * @param {Float32Array} values
 * @param {Trace} trace
 */
function coverage(values, { src, tgt_in }) {
  const words = src.flatMap((token, key) => (SPECIAL.test(token) ? [] : [key]));
  return mean(
    words.map((key) => Math.max(...tgt_in.map((_, row) => values[row * src.length + key]))),
  );
}

/**
 * The one head that is switched off, and what was written with it; or what is amiss.
 *
 * @param {Seen} seen
 * @param {Trace} trace
 * @returns {{head: {kind: Kind, head: string}, before: Trace, verdict?: undefined} | {verdict: Verdict, before?: undefined} | null}
 */
function oneHeadOff({ before }, { interventions = [] }) {
  if (!interventions.length) return null;
  const changes = interventions.map(parseIntervention);
  const [change] = changes;
  const whole = change?.effect === "zero" && change.head !== null && change.row === undefined;
  if (changes.length > 1 || !whole) return { verdict: { outcome: "one_head" } };
  return before && { head: { kind: change.kind, head: placeName(change) }, before };
}

/** @type {(one: Trace, other: Trace) => boolean} */
function wordsDiffer(one, other) {
  return one.tgt_ids.join() !== other.tgt_ids.join();
}

/**
 * How far the log-probabilities of the tokens that were chosen moved, in the mean.
 *
 * @type {(before: Trace, trace: Trace) => number}
 */
function meanChange(before, trace) {
  const moved = trace.tgt_ids.flatMap((_, step) => {
    const [then, now] = [emittedProbability(before, step), emittedProbability(trace, step)];
    return then && now ? [Math.abs(Math.log(now / then))] : [];
  });
  return mean(moved);
}

/**
 * Where two lists differ.
 *
 * @param {string[]} one
 * @param {string[]} other
 * @param {boolean} [uneven]  whether they may be of different length
 * @returns {number[] | null}  null if they are
 */
function places(one, other, uneven = false) {
  if (one.length !== other.length && !uneven) return null;
  return one.flatMap((token, i) => (token === other[i] ? [] : [i]));
}
