/** Attention multiplied through the layers (`transformer/inside/rollout.py`). */

import { headCount, headWeights, weightsOf } from "./weights.js";

/**
 * Each layer's mean attention, mixed half and half with the residual stream, times all before it.
 *
 * @param {import("./trace.js").Trace} trace
 * @returns {import("./weights.js").Weights}  one head a layer, shares of the model's input: each row
 *   adds up to 1; of the encoder, or of a decoder alone
 */
export function rollout({ weights: { encoder_self, decoder_self } }) {
  const weights = encoder_self ?? decoder_self;
  if (!weights) throw new TypeError("the trace has no self-attention");
  const { layers, keys: size } = weights;
  const result = new Float32Array(layers * size * size);
  let reached = identity(size);
  for (let layer = 0; layer < layers; layer++) {
    const own = Array.from({ length: headCount(weights, layer) }, (_, head) =>
      headWeights(weights, { layer, head }),
    );
    const shares = reached.map((_, query) => {
      const mixed = new Float64Array(size);
      mixed[query] = 1;
      for (const values of own) {
        for (let key = 0; key < size; key++) mixed[key] += values[query * size + key] / own.length;
      }
      // Heads that are switched off attend to nothing: the rest shares what there is.
      const sum = mixed.reduce((total, share) => total + share, 0);
      return mixed.map((share) => share / sum);
    });
    reached = times(shares, reached);
    for (const [query, row] of reached.entries()) result.set(row, (layer * size + query) * size);
  }
  return weightsOf(result, { layers, heads: 1, queries: size, keys: size });
}

/** @typedef {Float64Array[]} Shares  of what each row is made of: rows that sum to 1 */

/** The shares of tokens that nothing has been mixed into yet. @type {(size: number) => Shares}  each is made of itself */
export function identity(size) {
  return Array.from({ length: size }, (_, row) =>
    Float64Array.from({ length: size }, (_, i) => Number(i === row)),
  );
}

/** The product of two tables of shares. @type {(one: Shares, other: Shares) => Shares}  of what `other` is made of */
export function times(one, other) {
  return one.map((row) => {
    const product = new Float64Array(other[0]?.length ?? 0);
    for (const [k, x] of row.entries()) {
      for (let i = 0; i < product.length; i++) product[i] += x * other[k][i];
    }
    return product;
  });
}
