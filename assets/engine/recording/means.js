/**
 * What each head hands on in the mean: what an ablated head can be given instead of nothing
 * (`transformer/recording/means.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { Recording, record } from "./hooks.js";
import { numLayers } from "./places.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Model } from "../model/towers.js" */
/** @import { Means } from "./effects.js" */

/**
 * Mean outputs that lie beside a checkpoint.
 *
 * @param {import("../checkpoint/folder.js").MeasuredHeads} measured
 * @param {import("../model/config.js").TransformerConfig} config
 * @returns {Means}
 */
export function storedMeans({ arrays }, config) {
  /** @type {Means} */
  const means = {};
  for (const kind of KINDS) {
    const array = arrays.get(`${kind}.mean_output`);
    const shape = [numLayers(config, kind), config.num_heads, config.d_model / config.num_heads];
    if (array?.type !== "<f4" || array.shape.join() !== shape.join()) continue;
    means[kind] = { shape, values: new Float32Array(array.bytes.slice().buffer) };
  }
  return means;
}

/**
 * Each head's output (the weighted mean of its values), averaged over all positions.
 *
 * @param {Model} model
 * @param {{src: number[], tgtIn: number[]}[]} pairs  ids of each sentence, and what the decoder reads
 * @returns {Promise<Means>}  nothing, if there are no pairs
 */
export async function meanOutputs(model, pairs) {
  /** @type {Map<Kind, {sum: Float64Array, rows: number}>} */
  const sums = new Map();
  for (const { src, tgtIn } of pairs) {
    const recording = new Recording();
    await record(model, ["attended"], recording, () => model.decode(tgtIn, model.encode(src)));
    for (const kind of KINDS) {
      const layers = recording.at(kind, "attended");
      if (!layers.length) continue;
      const [length, size] = layers[0].shape;
      const of = sums.get(kind) ?? { sum: new Float64Array(layers.length * size), rows: 0 };
      sums.set(kind, of);
      of.rows += length;
      for (const [layer, { values }] of layers.entries()) {
        for (let i = 0; i < values.length; i++) of.sum[layer * size + (i % size)] += values[i];
      }
    }
  }
  /** @type {Means} */
  const means = {};
  for (const [kind, { sum, rows }] of sums) {
    const { d_model, num_heads } = model.config;
    const shape = [numLayers(model.config, kind), num_heads, d_model / num_heads];
    means[kind] = { shape, values: Float32Array.from(sum, (x) => x / rows) };
  }
  return means;
}
