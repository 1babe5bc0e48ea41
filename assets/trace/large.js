/** A large trace: its tokens and a thumbnail of every head come first, its heads as they are asked for. */

import { inflate, inflated } from "./inflate.js";
import { KINDS } from "./kinds.js";
import { parseSecond } from "./second.js";
import { weightsOf } from "./weights.js";

/** @import { Kind } from "./kinds.js" */
/** @import { SecondPayload, Trace } from "./payload.js" */
/** @import { Weights } from "./weights.js" */

/**
 * All heads of a kind as they are told of first; `counts` has the heads of each layer.
 *
 * @typedef {object} ManyHeads
 * @property {number[]} counts
 * @property {number} queries
 * @property {number} keys
 * @property {{rows: number, keys: number, data: string}} thumbnails
 */

/** @typedef {import("./inflate.js").Compressed} Compressed */
/** @typedef {Partial<Record<Kind, {names: string[], packed: Compressed}>>} SentHeads  [name, 1, query, key] */

/**
 * Reads a large trace, whose heads come one by one.
 *
 * @param {object} answer
 * @param {SecondPayload} answer.trace  without weights
 * @param {Partial<Record<Kind, ManyHeads>>} answer.large
 * @param {import("./answers.d.ts").Statistics} [answer.statistics]
 * @param {SentHeads} [answer.weights]  heads that came along
 * @returns {Promise<Trace>}
 */
export async function parseLarge({ trace: payload, large, statistics, weights = {} }) {
  /** @type {Partial<Record<Kind, Weights>>} */
  const wholes = {};
  for (const kind of KINDS) {
    const heads = large[kind];
    if (heads) wholes[kind] = await weightsToCome(heads);
  }
  const trace = { ...parseSecond(payload, wholes), statistics };
  await addHeads(trace, weights);
  return trace;
}

/** @type {(heads: ManyHeads) => Promise<Weights>} */
async function weightsToCome({ counts, queries, keys, thumbnails: { data, ...small } }) {
  const heads = Math.max(1, ...counts);
  const alike = counts.every((count) => count === heads);
  return {
    ...weightsOf(new Float32Array(), { layers: counts.length, heads, queries, keys }),
    ...(!alike && { counts }),
    arrived: new Map(),
    thumbnails: { ...small, bytes: await inflate(data) },
  };
}

/**
 * Puts heads where they are read.
 *
 * @param {Pick<Trace, "weights">} trace
 * @param {SentHeads} sent
 */
export async function addHeads({ weights }, sent) {
  const read = await inflated(
    Object.fromEntries(Object.entries(sent).map(([kind, { packed }]) => [kind, packed])),
  );
  for (const kind of KINDS) {
    const { arrived, queries = 0, keys = 0 } = weights[kind] ?? {};
    const values = read[kind] && new Float32Array(read[kind].data.buffer);
    for (const [i, name] of (sent[kind]?.names ?? []).entries()) {
      // A copy: a head may stay when those that came with it have gone.
      arrived?.set(name, values.slice(i * queries * keys, (i + 1) * queries * keys));
    }
  }
}
