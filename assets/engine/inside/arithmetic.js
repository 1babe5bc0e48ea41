/** One head's arithmetic, from queries and keys to weights (`transformer/inside/arithmetic.py`). */

import { HeadlightError } from "../errors.js";
import { zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";
import { numLayers } from "../recording/places.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Tensor } from "../model/tensors.js" */

/**
 * @typedef {object} HeadAsked  of a trace that was made before; layer and head count from 0
 * @property {string} source
 * @property {number[]} target
 * @property {Kind} kind
 * @property {number} layer
 * @property {number} head
 * @property {string[]} interventions
 */

/**
 * Everything that one head computed.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {HeadAsked} request
 * @returns {Promise<import("../../trace/arithmetic.js").PackedNumbers>}
 * @throws {HeadlightError} the model has no such head, or the ids are no target of it
 */
export async function workOut(translator, { source, target, kind, layer, head, interventions }) {
  const { config } = translator;
  if (layer >= numLayers(config, kind) || head >= config.num_heads) {
    throw new HeadlightError("unknown_head");
  }
  const sites = /** @type {const} */ (["query", "key", "value", "scores", "weights"]);
  const recording = await translator.replay(source, target, interventions, [...sites]);
  const [query, key, value, scores, weights] = sites.map((site) => recording.at(kind, site)[layer]);
  const { num_heads } = config;
  return {
    query: pack(columnsOf(query, head, num_heads), "float32"),
    key: pack(columnsOf(key, head, num_heads), "float32"),
    value: pack(columnsOf(value, head, num_heads), "float32"),
    scores: pack(matrixOf(scores, head), "float32"),
    weights: pack(matrixOf(weights, head), "float32"),
  };
}

/**
 * One head's part of [length, d_model]: [length, d_head].
 *
 * @param {Tensor} tensor
 * @param {number} head
 * @param {number} numHeads
 */
export function columnsOf({ shape: [length, size], values }, head, numHeads) {
  const dHead = size / numHeads;
  const own = zeros(length, dHead);
  for (let row = 0; row < length; row++) {
    const at = row * size + head * dHead;
    own.values.set(values.subarray(at, at + dHead), row * dHead);
  }
  return own;
}

/**
 * One head's matrix of [head, query, key].
 *
 * @type {(tensor: Tensor, head: number) => Tensor}
 */
function matrixOf({ shape: [, queries, keys], values }, head) {
  const size = queries * keys;
  return { shape: [queries, keys], values: values.subarray(head * size, (head + 1) * size) };
}
