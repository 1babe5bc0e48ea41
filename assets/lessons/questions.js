/** The questions of the tour's stops, and their truth in the live trace: no answer is stored. */

import { agreeing } from "../kit/equation.js";
import { briefText, countText, roughText, smallText } from "../kit/numbers.js";
import { headName } from "../trace/choice.js";
import { firstVisible, KINDS, keyTokens, visibleKeys } from "../trace/kinds.js";
import { measureHeads } from "../trace/measured.js";
import { softmax } from "../trace/scaling.js";
import { readingKind, shownBy } from "../trace/trace.js";
import { isGiven, promptLength } from "../trace/tree.js";
import { cosine } from "../trace/vectors.js";
import { headWeights } from "../trace/weights.js";
import { blockRows, clearestHead, reading, representativeRow, seenBy } from "./numbers.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Trace } from "../trace/trace.js" */

/**
 * `share` is how long its bar is, `value` its number once it is shown.
 *
 * @typedef {{label: string, token?: boolean, right: boolean, share: number, value: string}} Option
 */

/**
 * `key` names the question's text where it is not the stop's own; `ahead`: it is about the next step.
 *
 * @typedef {{key?: string, ahead?: boolean, values?: Record<string, string | number>, options: Option[]}} Question
 */
/** @typedef {(context: Context, trace: Trace, step: number) => Promise<Question> | Question} Ask */
/** @typedef {import("./stop.js").Stop & {question: Ask}} AskingStop */

/** More tokens are not offered. */
const MOST = 10;

/** Heads of a model that are offered. */
const SOME = 4;

/** @satisfies {Record<string, Ask>} */
export const QUESTIONS = {
  tokens({ store }, trace, step) {
    const { ids, ...read } = reading(trace, step);
    // What a decoder alone wrote nobody typed either.
    const typed = trace.src.length || trace.guest ? undefined : promptLength(store.get().tree) + 1;
    const tokens = read.tokens.slice(0, typed);
    // A tokenizer tells which of its tokens are no word's.
    const words = trace.words?.[trace.src.length ? "src" : "tgt"];
    const isSpecial = (/** @type {string} */ token) =>
      words ? words[tokens.lastIndexOf(token)] === null : /^<.*>$/.test(token);
    const shown =
      tokens.length > MOST ? [...tokens.slice(0, MOST - 1), tokens[tokens.length - 1]] : tokens;
    const at = (/** @type {string} */ token) => ids[tokens.lastIndexOf(token)];
    if (!shown.some(isSpecial)) return { options: [] };
    return {
      options: shown.map((token) => ({
        ...{ label: token, token: true, right: isSpecial(token), share: 0 },
        value: at(token) >= 0 ? String(at(token)) : "",
      })),
    };
  },
  async embedding(context, trace, step) {
    const { tower, tokens } = reading(trace, step);
    const { looked_up: vectors } = await blockRows(context, trace, `${tower}.embedding`);
    const alike = tokens.slice(1).map((_, i) => cosine(vectors[0], vectors[i + 1]));
    const offered = around(alike.indexOf(Math.max(...alike)), alike.length);
    return {
      values: { token: tokens[0] },
      options: largest(
        offered.map((i) => tokens[i + 1]),
        offered.map((i) => alike[i]),
        briefText,
      ),
    };
  },
  async position(context, trace, step) {
    const { tower } = reading(trace, step);
    const { added } = await blockRows(context, trace, `${tower}.position`);
    const rows = added.slice(1, 7);
    const alike = rows.map((row) => cosine(added[0], row));
    const names = rows.map((_, i) => String(i + 2));
    return { options: largest(names, alike, briefText, false) };
  },
  async projections(context, trace, step) {
    const { query, kind } = await representativeRow(context, trace, step);
    const heads = trace.weights[kind]?.heads ?? 1;
    const size = query.length;
    const sizes = [...new Set([heads, size, heads * size, 2 * size * heads])].sort((a, b) => a - b);
    return {
      values: { width: heads * size, heads },
      options: sizes.map((count) => one(String(count), count === size, String(count))),
    };
  },
  async scores(context, trace, step) {
    const { scores, tokens, asking } = await representativeRow(context, trace, step);
    const least = Math.min(...scores);
    const most = Math.max(...scores) - least || 1;
    return {
      values: { token: asking },
      options: around(scores.indexOf(least), scores.length).map((i) => ({
        ...{ label: tokens[i], token: true, right: scores[i] === least },
        ...{ share: (scores[i] - least) / most, value: briefText(scores[i]) },
      })),
    };
  },
  async scale(context, trace, step) {
    const { scores, query } = await representativeRow(context, trace, step);
    const [now, then] = [scores, scores.map((score) => score * Math.sqrt(query.length))]
      .map(softmax)
      .map((row) => Math.max(...row));
    const { t } = context;
    const [before, after] = [now, then].map(smallText);
    const value = `${before} → ${after}`;
    const same = before === after;
    return {
      values: { weight: before },
      options: [
        one(t("tour.smaller"), !same && then < now, value),
        one(t("tour.same"), same, value),
        one(t("tour.larger"), !same && then > now, value),
      ],
    };
  },
  mask(_, trace, step) {
    const written = trace.weights.decoder_self !== undefined;
    const tokens = written ? trace.tgt_in : trace.src;
    const { length } = tokens;
    const { seen } = seenBy(trace, step);
    const counts = [...new Set([Math.max(0, seen - 1), seen, seen + 1, length])].filter(
      (x) => x <= length,
    );
    return {
      ...(written ? {} : { key: "mask.question_encoder" }),
      values: { step: step + 1, token: tokens[step] },
      options: counts.map((count) => one(String(count), count === seen, `${seen} / ${length}`)),
    };
  },
  async softmax(context, trace, step) {
    const { scores } = await representativeRow(context, trace, step);
    const [first, second] = [...scores].sort((a, b) => b - a);
    if (second === undefined) return { options: [] };
    const ahead = first - second;
    const rough = (/** @type {number} */ x) => roughText(x, 3);
    const [written] = agreeing([ahead], Math.exp, rough);
    const names = [ahead, 2 ** ahead, Math.exp(ahead)].map((x) => `× ${rough(x)}`);
    return {
      values: { ahead: written },
      options: names.map((name, i) => one(name, i === 2, i === 2 ? "exp" : "")),
    };
  },
  async heads({ about, t }, trace) {
    if (trace.guest) return sharpest(trace);
    const inside = await about(trace).inside("sweep");
    const heads = KINDS.flatMap((kind) => {
      const weights = trace.weights[kind];
      const representative = shownBy(trace, kind);
      if (!weights || !representative) return [];
      const other = { layer: weights.layers - 1, head: weights.heads - 1 };
      return [representative, other].map((choice) => ({ kind, choice }));
    });
    const names = heads.map(({ kind, choice }) => `${t(`${kind}.short`)} ${headName(choice)}`);
    const lost = heads.map(
      ({ kind, choice }) => -(inside[kind]?.[Number(choice.layer)][Number(choice.head)] ?? 0),
    );
    const unique = names.map((name, i) => names.indexOf(name) === i);
    const isFirst = (/** @type {unknown} */ _, /** @type {number} */ i) => unique[i];
    const text = (/** @type {number} */ x) => briefText(-x);
    return { options: largest(names.filter(isFirst), lost.filter(isFirst), text, false) };
  },
  async residual(context, trace, step) {
    const { t } = context;
    const { inner } = await blockRows(context, trace, "decoder.L1.feed_forward");
    const size = inner[step].length;
    const above = inner[step].filter((value) => value > 0).length;
    const value = `${above} / ${countText(size)}`;
    const [few, most] = [above < size / 10, above > size / 2];
    return {
      values: { size: countText(size) },
      options: [
        one(t("tour.few"), few, value),
        one(t("tour.some"), !few && !most, value),
        one(t("tour.most"), most, value),
      ],
    };
  },
  cross(_, trace, step) {
    const kind = readingKind(trace);
    const weights = trace.weights[kind];
    const choice = shownBy(trace, kind);
    const row = step + 1;
    if (!weights || !choice || row >= weights.queries) return { options: [] };
    const start = row * weights.keys;
    const from = firstVisible(kind, row, weights.causal);
    const seen = visibleKeys(kind, row, weights.keys, weights.causal);
    const values = Array.from(headWeights(weights, choice).subarray(start + from, start + seen));
    const tokens = keyTokens(trace, kind).slice(from, seen);
    const offered = around(values.indexOf(Math.max(...values)), values.length);
    return {
      ahead: true,
      values: { token: trace.tgt_in[row], head: headName(choice) },
      options: largest(
        offered.map((key) => tokens[key]),
        offered.map((key) => values[key]),
        briefText,
      ),
    };
  },
  next({ store }, trace, step) {
    const candidates = trace.candidates[step + 1];
    // What is given nobody can tell by the model.
    if (!candidates || isGiven(store.get().tree, trace, step + 1)) return { options: [] };
    const written = (/** @type {{id: number}} */ { id }) => id === trace.tgt_ids[step + 1];
    const shown = candidates
      .filter((candidate, i) => i < 4 || written(candidate)) // one that was drawn may be none of the likeliest
      .sort((a, b) => a.id - b.id);
    const most = Math.max(...shown.map(({ probability }) => probability));
    return {
      ahead: true,
      values: { token: trace.tgt_in[step + 1] },
      options: shown.map(({ probability, ...candidate }) => ({
        ...{ label: candidate.token, token: true, right: written(candidate) },
        ...{ share: probability / most, value: smallText(probability) },
      })),
    };
  },
  sinks({ t }, trace) {
    const clearest = clearestHead(trace, "first");
    if (!clearest) return { options: [] };
    return { values: { token: trace.tgt_in[0] }, options: ranges(t, clearest.mean) };
  },
  induction({ t }, trace) {
    const clearest = clearestHead(trace, "induction");
    if (!clearest) return { options: [] };
    return { values: { head: headName(clearest.head) }, options: ranges(t, clearest.share) };
  },
};

/**
 * Which of some heads has the sharpest rows.
 *
 * @param {Trace} trace
 * @returns {Question}
 */
function sharpest(trace) {
  const kind = readingKind(trace);
  const shares = measureHeads(trace)[kind]?.measures.sharpness ?? [];
  const heads = shares.flatMap((layer, at) => layer.map((_, head) => ({ layer: at, head })));
  const apart = Math.max(1, Math.floor(heads.length / SOME));
  const some = heads.filter((_, i) => i % apart === 0).slice(0, SOME);
  const values = some.map(({ layer, head }) => shares[layer][head] ?? 0);
  return {
    key: "heads.question_guest",
    options: largest(some.map(headName), values, briefText, false),
  };
}

/** @type {(t: Context["t"], share: number) => Option[]} */
function ranges(t, share) {
  const value = briefText(share);
  return [
    one(t("tour.little"), share < 0.1, value),
    one(t("tour.some"), share >= 0.1 && share <= 0.5, value),
    one(t("tour.most"), share > 0.5, value),
  ];
}

/**
 * As many places as are offered, in their order, this one among them.
 *
 * @param {number} place
 * @param {number} count
 */
function around(place, count) {
  const first = Math.max(0, Math.min(place - Math.floor(MOST / 2), count - MOST));
  return Array.from({ length: Math.min(MOST, count) }, (_, i) => first + i);
}

/**
 * Of these, the one with the largest value is right.
 *
 * @type {(labels: string[], values: number[], text: (value: number) => string, token?: boolean) => Option[]}
 */
function largest(labels, values, text, token = true) {
  const [most, least] = [Math.max(...values), Math.min(0, ...values)];
  return labels.map((label, i) => ({
    ...{ label, token, right: values[i] === most, value: text(values[i]) },
    share: most > least ? (values[i] - least) / (most - least) : 0,
  }));
}

/** @type {(label: string, right: boolean, value: string) => Option} */
function one(label, right, value) {
  return { label, right, value: right ? value : "", share: 0 };
}
