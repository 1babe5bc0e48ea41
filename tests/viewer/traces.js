/** Traces as small as a test needs them. */

/** @typedef {import("../../assets/trace/trace.js").Trace} Trace */

/**
 * @param {Partial<Trace>} [given]
 * @param {{layers?: number, heads?: number}} [size]
 * @returns {Trace}  of three source tokens and one target token an id, with even weights
 */
export function makeTrace(given = {}, { layers = 2, heads = 4 } = {}) {
  const tgt_ids = given.tgt_ids ?? [5, 6, 2];
  const count = tgt_ids.length;
  /** @type {(queries: number, keys: number) => import("../../assets/trace/weights.js").Weights} */
  const weights = (queries, keys) => {
    const data = new Float32Array(layers * heads * queries * keys).fill(1 / keys);
    return { layers, heads, queries, keys, data };
  };
  return {
    model: "en-zh",
    source: "I love",
    translation: "我爱",
    src: ["I", "␣love", "</s>"],
    tgt_in: ["<s>", ...tgt_ids.slice(0, -1).map(String)],
    tgt_out: tgt_ids.map(String),
    tgt_ids,
    candidates: tgt_ids.map((id) => [
      { token: String(id), id, probability: 0.9 },
      { token: "9", id: 9, probability: 0.05 },
    ]),
    stop_reason: "eos",
    prefix_length: 0,
    encoder_self: null,
    decoder_self: null,
    cross: null,
    weights: {
      encoder_self: weights(3, 3),
      decoder_self: weights(count, count),
      cross: weights(count, 3),
    },
    ...given,
  };
}
