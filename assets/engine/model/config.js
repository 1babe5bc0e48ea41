/** The sizes and choices that make one Transformer differ from another (`transformer/model/config.py`). */

import { isObject } from "../../trace/fields.js";

/** @typedef {import("../../trace/answers.d.ts").TransformerConfig} TransformerConfig */

/** Each position is a row of a table. */
const LONGEST = 2 ** 14;

/** No side of a matrix is longer. */
const LARGEST = 2 ** 31 - 1;

/** The paper's base model. */
const USUAL = {
  ...{ d_model: 512, num_heads: 8, num_encoder_layers: 6, num_decoder_layers: 6, d_ff: 2048 },
  ...{ dropout: 0.1, max_length: 512, activation: "relu", norm_placement: "post" },
  ...{ final_norms: false, scale_embeddings: true, tied_embeddings: "none" },
  ...{ positions: "interleaved", output_bias: true, pad_id: 0, bos_id: 1, eos_id: 2 },
  banned_ids: [],
  ...{ longest_target: 0, ends_longest: false },
};

/** @type {Record<string, string[]>} */
const CHOICES = {
  activation: ["relu", "gelu", "silu"],
  norm_placement: ["post", "pre"],
  tied_embeddings: ["none", "output", "all"],
  positions: ["interleaved", "concatenated"],
};

/**
 * A configuration out of a file, which may say anything.
 *
 * @param {unknown} values
 * @returns {TransformerConfig}
 * @throws {Error} whose message says which combination is impossible
 */
export function readConfig(values) {
  if (!isObject(values)) {
    throw new Error('it must be an object with a "model" object in it');
  }
  const sizes = { src_vocab_size: undefined, tgt_vocab_size: undefined };
  const settings = { ...sizes, ...USUAL };
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(settings, name));
  if (unknown.length) throw new Error(`unknown settings: ${unknown.sort().join(", ")}`);
  const missing = Object.keys(sizes).filter((name) => !(name in values));
  if (missing.length) throw new Error(`missing settings: ${missing.join(", ")}`);
  const config = { .../** @type {any} */ (USUAL), ...values };
  for (const name of Object.keys(settings)) checkType(name, config[name]);
  checkSizes(config);
  return config;
}

/**
 * Refuses "256" and unknown choices alike.
 *
 * @param {string} name
 * @param {unknown} value
 */
function checkType(name, value) {
  const text = JSON.stringify(value);
  const choices = CHOICES[name];
  if (choices) {
    if (!choices.some((choice) => choice === value))
      throw new Error(`${name} must be one of ${choices.join(", ")}, not ${text}`);
  } else if (name === "banned_ids") {
    if (!Array.isArray(value) || !value.every(Number.isSafeInteger))
      throw new Error(`${name} must be a list of whole numbers, not ${text}`);
  } else if (name === "longest_target" || name === "ends_longest") {
    // Imported models have a limit of their own; the engine reads none of these.
    if (value) throw new Error(`${name} is ${text}, which this page does not obey`);
  } else if (["final_norms", "scale_embeddings", "output_bias"].includes(name)) {
    if (typeof value !== "boolean") throw new Error(`${name} must be true or false, not ${text}`);
  } else if (name === "dropout") {
    if (!(typeof value === "number" && value >= 0 && value < 1))
      throw new Error(`dropout must lie in [0, 1), not ${text}`);
  } else if (!Number.isInteger(value)) {
    throw new Error(`${name} must be a whole number, not ${text}`);
  } else if (Number(value) > LARGEST) {
    throw new Error(`${name} can be ${LARGEST} at most, not ${text}`);
  }
}

/** @param {TransformerConfig} c */
function checkSizes(c) {
  for (const name of /** @type {const} */ ([
    ...["tgt_vocab_size", "d_model", "num_heads", "num_decoder_layers", "d_ff", "max_length"],
  ])) {
    const size = c[/** @type {"d_model"} */ (name)];
    if (size < 1) throw new Error(`${name} must be at least 1, not ${size}`);
  }
  if (c.max_length > LONGEST)
    throw new Error(`max_length can be ${LONGEST} at most, not ${c.max_length}`);
  if (c.num_encoder_layers < 0)
    throw new Error(`num_encoder_layers cannot be ${c.num_encoder_layers}`);
  if (c.src_vocab_size < (isDecoderOnly(c) ? 0 : 1))
    throw new Error(`src_vocab_size cannot be ${c.src_vocab_size}`);
  if (c.d_model % c.num_heads)
    throw new Error(`d_model (${c.d_model}) must be divisible by num_heads (${c.num_heads})`);
  if (c.d_model % 2)
    throw new Error(`d_model (${c.d_model}) must be even: positions pair sines with cosines`);
  if (c.tied_embeddings === "all" && c.src_vocab_size !== c.tgt_vocab_size)
    throw new Error("tied_embeddings='all' needs one vocabulary for both languages");
  if (c.tied_embeddings === "all" && isDecoderOnly(c))
    throw new Error("a decoder-only model has no encoder embedding to tie");
  for (const id of [c.pad_id, c.bos_id, c.eos_id, ...c.banned_ids]) {
    if (id < 0 || id >= c.tgt_vocab_size)
      throw new Error(`token ${id} lies outside the vocabulary of ${c.tgt_vocab_size} tokens`);
  }
  if (c.banned_ids.includes(c.eos_id))
    throw new Error(`banned_ids holds eos_id (${c.eos_id}): no sentence could end`);
}

/**
 * Whether there is no encoder, and so no source and no cross-attention.
 *
 * @param {TransformerConfig} config
 */
export function isDecoderOnly({ num_encoder_layers }) {
  return num_encoder_layers === 0;
}
