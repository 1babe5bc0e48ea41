/**
 * Decoding with a key/value cache: greedily, or by drawing lots (`transformer/decoding/decode.py`).
 */

import { rowOf } from "../model/tensors.js";
import { DecoderCache } from "../model/towers.js";
import { candidatesOf, TOP_K } from "./candidates.js";
import { checkPrefix } from "./prefixes.js";
import { chooser } from "./sampling.js";

/** @import { Model } from "../model/towers.js" */
/** @import { Sampling } from "../../trace/trace.js" */
/** @import { Candidate } from "./candidates.js" */

/**
 * What was decoded, and what nearly was.
 *
 * @typedef {object} Hypothesis
 * @property {number[]} ids  the emitted tokens, forced prefix included
 * @property {"eos" | "max_steps" | "max_length"} stop_reason
 * @property {Candidate[][]} candidates  of every step
 */

/**
 * @typedef {object} Decoding
 * @property {number[]} [prefix]  tokens that the hypothesis is made to begin with
 * @property {Sampling | null} [sampling]  null takes the likeliest token at every step
 * @property {number} [maxSteps]  the most tokens to emit after the prefix
 * @property {number} [topK]  how many candidates to keep at every step
 * @property {{first: number}} [live]  told with which step each pass of the decoder begins
 * @property {() => Promise<void>} [rest]  called after each step: who is waited for may act, or cancel
 */

/**
 * Emits a token, step after step, until the sentence ends: the likeliest, or one drawn.
 *
 * @param {Model} model
 * @param {number[]} src  ending in eos; empty for a decoder-only model
 * @param {Decoding} [how]
 * @returns {Promise<Hypothesis>}
 */
export async function decode(model, src, how = {}) {
  const { prefix = [], sampling = null, maxSteps = 64, topK = TOP_K, live, rest } = how;
  const { config } = model;
  checkPrefix(prefix, config);
  const wanted = prefix.length + maxSteps;
  const complete = prefix.at(-1) === config.eos_id;
  const end = complete ? prefix.length : Math.min(wanted, config.max_length);
  const choose = chooser(sampling, config.max_length);
  const memory = model.encode(src);
  const cache = new DecoderCache(config, end, src.length);
  const ids = [...prefix];
  /** @type {Candidate[][]} */
  const candidates = [];

  /** @param {number[]} tokens  the newest */
  const pass = (tokens) => {
    if (live) live.first = cache.length;
    return withoutBanned(model.decode(tokens, memory, cache), config);
  };

  // One pass over the prefix; then the first that is emitted.
  let logits = pass([config.bos_id, ...prefix].slice(0, end));
  for (const [step, token] of prefix.entries()) {
    candidates.push(candidatesOf(rowOf(logits, step), token, topK, sampling));
  }
  while (ids.length < end) {
    const last = rowOf(logits, logits.shape[0] - 1);
    const token = choose(last, ids.length);
    candidates.push(candidatesOf(last, token, topK, sampling));
    ids.push(token);
    if (token === config.eos_id || ids.length === end) break;
    await rest?.();
    logits = pass([token]);
  }
  const stop_reason = config.max_length < wanted ? "max_length" : "max_steps";
  return { ids, stop_reason: ids.at(-1) === config.eos_id ? "eos" : stop_reason, candidates };
}

/**
 * Logits [..., vocabulary], −∞ for tokens that decoding never emits.
 *
 * @param {import("../model/tensors.js").Tensor} logits  fresh: they are changed
 * @param {import("../model/config.js").TransformerConfig} config
 */
export function withoutBanned(logits, { banned_ids }) {
  for (let row = 0; row < logits.shape[0]; row++) {
    for (const id of banned_ids) rowOf(logits, row)[id] = Number.NEGATIVE_INFINITY;
  }
  return logits;
}
