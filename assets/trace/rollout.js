/** Attention multiplied through the layers (`transformer/inside/rollout.py`). */

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
  const { layers, heads, keys: size, data } = weights;
  const result = new Float32Array(layers * size * size);
  /** @type {Float64Array[]} */
  let reached = Array.from({ length: size }, (_, i) => unit(size, i));
  for (let layer = 0; layer < layers; layer++) {
    const below = reached;
    reached = below.map((_, query) => {
      const mixed = unit(size, query);
      for (let head = 0; head < heads; head++) {
        const start = ((layer * heads + head) * size + query) * size;
        for (let key = 0; key < size; key++) mixed[key] += data[start + key] / heads;
      }
      // Heads that are switched off attend to nothing: the rest shares what there is.
      const sum = mixed.reduce((total, share) => total + share, 0);
      const row = new Float64Array(size);
      for (let key = 0; key < size; key++) {
        for (let token = 0; token < size; token++) {
          row[token] += (mixed[key] / sum) * below[key][token];
        }
      }
      return row;
    });
    for (const [query, row] of reached.entries()) result.set(row, (layer * size + query) * size);
  }
  return { layers, heads: 1, queries: size, keys: size, data: result };
}

/** @type {(size: number, at: number) => Float64Array} */
function unit(size, at) {
  return Float64Array.from({ length: size }, (_, i) => Number(i === at));
}
