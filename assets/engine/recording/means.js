/**
 * What each head hands on in the mean: what an ablated head can be given instead of nothing
 * (`transformer/recording/means.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { zeros } from "../model/tensors.js";
import { Recording, record } from "./hooks.js";
import { numLayers } from "./places.js";

/** @typedef {import("../../trace/kinds.js").Kind} Kind */
/** @typedef {import("../model/towers.js").Model} Model */
/** @typedef {import("./effects.js").Means} Means */

/**
 * Those that lie beside a checkpoint.
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
  /** @type {Means} */
  const means = {};
  /** @type {Partial<Record<Kind, Float64Array>>} */
  const sums = {};
  /** @type {Partial<Record<Kind, number>>} */
  const rows = {};
  for (const { src, tgtIn } of pairs) {
    const recording = new Recording();
    await record(model, ["attended"], recording, () => model.decode(tgtIn, model.encode(src)));
    for (const kind of KINDS) {
      const layers = recording.at(kind, "attended");
      if (!layers.length) continue;
      const [length, size] = layers[0].shape;
      const sum = sums[kind] ?? new Float64Array(layers.length * size);
      sums[kind] = sum;
      rows[kind] = (rows[kind] ?? 0) + length;
      for (const [layer, { values }] of layers.entries()) {
        for (let i = 0; i < values.length; i++) sum[layer * size + (i % size)] += values[i];
      }
    }
  }
  for (const kind of KINDS) {
    const [sum, count] = [sums[kind], rows[kind]];
    if (!sum || !count) continue;
    const { d_model, num_heads } = model.config;
    const mean = zeros(numLayers(model.config, kind), num_heads, d_model / num_heads);
    mean.values.set(sum.map((x) => x / count));
    means[kind] = mean;
  }
  return means;
}
