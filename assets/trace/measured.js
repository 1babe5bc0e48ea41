/** What each head does in one sentence, in numbers (`transformer/inside/statistics.py`). */

import { firstVisible, isMasked, KINDS, keyTokens, visibleKeys } from "./kinds.js";
import { CLEAR, EOS, FEWEST, PLACES_OF, ROLES_OF, roleOf } from "./roles.js";
import { alignedKeys } from "./source_links.js";
import { headCount, headWeights } from "./weights.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Measure } from "./statistics.js" */

/**
 * A query and the keys that it may see: which of them stand for what, and which is not the end.
 *
 * @typedef {{query: number, seen: number[], roles: Map<import("./roles.js").CellRole, number[]>, words: number[],
 *   aligned?: import("./source_links.js").Aligned}} Row
 */

/** @typedef {Float32Array | Float64Array} Shares */
/** @typedef {(row: Row, shares: Shares) => number | null} OfRow  of what it gives each key; null: says nothing */

/**
 * Measures of heads; of a large trace, those that came with it, as its weights are not here.
 *
 * @param {import("./kinds.js").Tokens & Pick<import("./trace.js").Trace, "weights" | "statistics"> &
 *   {glosses?: import("./glosses.js").Glosses | null}} trace  or a moment of training
 * @returns {import("./answers.d.ts").Statistics}
 */
export function measureHeads(trace) {
  const measuring = measuringHeads(trace);
  for (;;) {
    const { done, value } = measuring.next();
    if (done) return value;
  }
}

/**
 * The head of a kind that in this text does most of what its clear role is.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {Kind} kind
 * @param {string} role
 * @returns {{layer: number, head: number} | null}  null: no head has it
 */
export function headOfRole(trace, kind, role) {
  if (!ROLES_OF[kind].some((one) => one === role)) return null;
  const { measures, roles } = measureHeads(trace)[kind] ?? {};
  const shares = measures?.[role] ?? [];
  const having = (roles ?? []).flatMap((heads, layer) =>
    heads.flatMap((one, head) => (one === role ? [{ layer, head }] : [])),
  );
  const share = (/** @type {typeof having[number]} */ one) => shares[one.layer][one.head] ?? 0;
  return having.sort((one, other) => share(other) - share(one))[0] ?? null;
}

/**
 * The same, head by head, for who has something else to do in between.
 *
 * @param {Parameters<typeof measureHeads>[0]} trace
 * @returns {Generator<void, import("./answers.d.ts").Statistics>}
 */
export function* measuringHeads(trace) {
  if (trace.statistics) return trace.statistics;
  /** @type {(import("./answers.d.ts").KindStatistics | null)[]} */
  const measured = [];
  for (const kind of KINDS) {
    const weights = trace.weights[kind];
    const aligned = kind === "cross" ? alignedKeys(trace) : null;
    measured.push(
      weights ? yield* measuringKind(kind, weights, keyTokens(trace, kind), aligned) : null,
    );
  }
  const [encoder_self, decoder_self, cross] = measured;
  return { sentences: 1, encoder_self, decoder_self, cross };
}

/**
 * Means over rows; one that may see a single key says nothing.
 *
 * @param {Kind} kind
 * @param {import("./weights.js").Weights} weights
 * @param {string[]} labels  of keys
 * @param {import("./source_links.js").Aligned[] | null} aligned  by row; null: nobody knows
 * @returns {Generator<void, import("./answers.d.ts").KindStatistics>}
 */
function* measuringKind(kind, weights, labels, aligned) {
  const { layers, queries, keys, causal } = weights;
  const rows = [...Array(queries).keys()].flatMap((query) => {
    const first = firstVisible(kind, query, causal);
    const count = visibleKeys(kind, query, keys, causal) - first;
    const seen = Array.from({ length: Math.max(0, count) }, (_, i) => first + i).filter(
      (key) => !isMasked(kind, query, key, causal),
    );
    if (seen.length < 2) return [];
    const words = [...seen.keys()].filter((i) => labels[seen[i]] !== EOS);
    return [
      { query, seen, words, roles: rolesOf(kind, query, seen, labels), aligned: aligned?.[query] },
    ];
  });
  const measures = Object.entries(measuresOf(kind, aligned !== null));
  /** @type {(shares: (row: Row) => Shares) => Record<string, number | null>} */
  const means = (shares) => {
    const sums = measures.map(() => ({ sum: 0, rows: 0 }));
    for (const row of rows) {
      const own = shares(row);
      for (const [i, [, of]] of measures.entries()) {
        const value = of(row, own);
        if (value === null) continue;
        sums[i].sum += value;
        sums[i].rows++;
      }
    }
    const mean = (/** @type {string} */ name, /** @type {typeof sums[number]} */ { sum, rows }) =>
      rows >= (FEWEST[name] ?? 1) ? sum / rows : null;
    return Object.fromEntries(measures.map(([name], i) => [name, mean(name, sums[i])]));
  };
  const by_chance = means(({ seen }) => new Float64Array(seen.length).fill(1 / seen.length));
  const ofHead = (/** @type {number} */ layer, /** @type {number} */ head) => {
    const values = headWeights(weights, { layer, head });
    return means(({ query, seen }) => {
      const row = values.subarray(query * keys, (query + 1) * keys);
      // The run that it nearly always is needs no copy.
      const [start, end] = [seen[0], seen[seen.length - 1] + 1];
      return end - start === seen.length
        ? row.subarray(start, end)
        : Float32Array.from(seen, (key) => row[key]);
    });
  };
  /** @type {ReturnType<typeof ofHead>[][]} */
  const byLayer = [];
  for (let layer = 0; layer < layers; layer++) {
    byLayer.push([]);
    for (let head = 0; head < headCount(weights, layer); head++) {
      byLayer[layer].push(ofHead(layer, head));
      yield;
    }
  }
  return {
    measures: Object.fromEntries(
      measures.map(([name]) => [name, byLayer.map((layer) => layer.map((head) => head[name]))]),
    ),
    by_chance,
    roles: byLayer.map((layer) => layer.map((head) => clearRole(kind, head, by_chance))),
    rows: rows.length,
  };
}

/** @type {(kind: Kind, query: number, seen: number[], labels: string[]) => Row["roles"]} */
function rolesOf(kind, query, seen, labels) {
  /** @type {Row["roles"]} */
  const roles = new Map();
  for (const [i, key] of seen.entries()) {
    const role = roleOf(kind, query, key, labels);
    if (!role) continue;
    const own = roles.get(role) ?? [];
    own.push(i);
    roles.set(role, own);
  }
  return roles;
}

/** @type {(kind: Kind, aligned: boolean) => Partial<Record<Measure, OfRow>>} */
function measuresOf(kind, aligned) {
  /** @type {(shares: Shares, of: (share: number, i: number) => number) => number} */
  const total = (shares, of) => {
    let sum = 0;
    for (let i = 0; i < shares.length; i++) sum += of(shares[i], i);
    return sum;
  };
  return {
    sharpness: (_, shares) => {
      let most = 0;
      for (const share of shares) most = Math.max(most, share);
      return most;
    },
    confidence: ({ words }, shares) => words.reduce((most, i) => Math.max(most, shares[i]), 0),
    entropy: (_, shares) => total(shares, (x) => (x > 0 ? -x * Math.log(x) : 0)),
    offset: ({ query, seen }, shares) => total(shares, (x, i) => x * (seen[i] - query)),
    ...Object.fromEntries(
      PLACES_OF[kind].map((role) => [
        role,
        (/** @type {Row} */ { roles }, /** @type {Shares} */ shares) =>
          roles.get(role)?.reduce((sum, i) => sum + shares[i], 0) ?? null,
      ]),
    ),
    ...(aligned ? { written: onSource("written"), read: onSource("read") } : {}),
  };
}

/**
 * What a row gives the source of its word, where it has one.
 *
 * @type {(role: import("./roles.js").AlignedRole) => OfRow}
 */
function onSource(role) {
  return ({ seen, aligned }, shares) => {
    const keys = aligned?.[role];
    if (!keys?.size) return null;
    return seen.reduce((sum, key, i) => sum + (keys.has(key) ? shares[i] : 0), 0);
  };
}

/**
 * What a head's attention exceeds chance at most.
 *
 * @type {(kind: Kind, own: Record<string, number | null>, chance: Record<string, number | null>) => string | null}
 */
export function clearRole(kind, own, chance) {
  const lift = (/** @type {string} */ role) => (own[role] ?? 0) - (chance[role] ?? 0);
  const best = ROLES_OF[kind].reduce((one, other) => (lift(other) >= lift(one) ? other : one));
  return lift(best) >= CLEAR ? best : null;
}
