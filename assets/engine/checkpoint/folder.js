/**
 * A trained model as files: weights, configuration, tokenizers, what was measured of its heads
 * (`transformer/checkpoint/folder.py`). Everything is checked before it is used.
 */

import { isObject } from "../../trace/fields.js";
import { readNpz } from "../../trace/npz.js";
import { CheckpointError } from "../errors.js";
import { isDecoderOnly, readConfig } from "../model/config.js";
import { Tokenizer } from "../text/tokenizer.js";
import { LEXICON, Lexicon } from "./lexicon.js";
import { readModel } from "./weights.js";

/** @import { TransformerConfig } from "../model/config.js" */
/** @import { Model } from "../model/towers.js" */
/** @import { Files } from "./weights.js" */

/**
 * What was measured of its heads over many sentences: arrays by name, and what there is to say of them.
 *
 * @typedef {{arrays: Map<string, import("../../trace/npz.js").NpyArray>, labels: any}} MeasuredHeads
 */

/**
 * @typedef {object} Checkpoint
 * @property {string} name
 * @property {Model} model
 * @property {Tokenizer} tokenizer  of both languages, or of the source
 * @property {Tokenizer} tgtTokenizer
 * @property {any} card  what people may read about it
 * @property {boolean} normalise  whether a source is read as `text/normalise.js` writes it
 * @property {string} hash  the first eight hex digits of its weights' and tokenizers' SHA-256
 * @property {MeasuredHeads | null} heads
 * @property {Lexicon | null} lexicon  what the words of its languages stand for
 */

export const CONFIG = "config.json";
const TOKENIZER = "tokenizer.model";
const OWN_TOKENIZERS = ["source_tokenizer.model", "target_tokenizer.model"];
const HEADS = "heads.npz";

/** Bytes that the arrays of `heads.npz` may take. */
const MOST = 64_000_000;

/**
 * Reads a checkpoint.
 *
 * @param {string} name
 * @param {Files} files
 * @param {string} hash
 * @returns {Promise<Checkpoint>}
 * @throws {CheckpointError} a file is missing, unreadable or contradicts another
 */
export async function load(name, files, hash) {
  const { config, card, normalise } = readConfigFile(files);
  const [tokenizer, tgtTokenizer] = readTokenizers(files, config);
  const model = readModel(files, config);
  const words = files.get(LEXICON);
  const lexicon = words ? new Lexicon(words) : null;
  const heads = await readHeads(files, hash);
  return { name, model, tokenizer, tgtTokenizer, card, normalise, hash, heads, lexicon };
}

/** @param {Files} files */
function readConfigFile(files) {
  /** @type {any} */
  let content;
  try {
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(files.get(CONFIG)));
  } catch {
    throw new CheckpointError(CONFIG, "missing, or no JSON");
  }
  try {
    const card = isObject(content?.card) ? content.card : {};
    // Null is no answer, here as in Python.
    const { normalise = false } = content ?? {};
    if (typeof normalise !== "boolean") throw new Error('"normalise" must be true or false');
    return { config: readConfig(content?.model), card, normalise };
  } catch (error) {
    throw new CheckpointError(CONFIG, /** @type {Error} */ (error).message);
  }
}

/** @type {(files: Files, config: TransformerConfig) => Tokenizer[]} */
function readTokenizers(files, config) {
  const { src_vocab_size, tgt_vocab_size } = config;
  if (files.has(OWN_TOKENIZERS[0])) {
    const sizes = [src_vocab_size, tgt_vocab_size];
    return OWN_TOKENIZERS.map((file, i) => readTokenizer(files, file, [sizes[i]], config));
  }
  const sizes = isDecoderOnly(config) ? [tgt_vocab_size] : [tgt_vocab_size, src_vocab_size];
  const tokenizer = readTokenizer(files, TOKENIZER, sizes, config);
  return [tokenizer, tokenizer];
}

/** @type {(files: Files, file: string, sizes: number[], config: TransformerConfig) => Tokenizer} */
function readTokenizer(files, file, sizes, { pad_id, bos_id, eos_id }) {
  const bytes = files.get(file);
  if (!bytes) throw new CheckpointError(file, "the file is missing or cannot be read");
  /** @type {Tokenizer} */
  let tokenizer;
  try {
    tokenizer = new Tokenizer(bytes);
  } catch (error) {
    throw new CheckpointError(file, /** @type {Error} */ (error).message);
  }
  for (const size of sizes) {
    if (size !== tokenizer.size) {
      throw new CheckpointError(
        file,
        `it has ${tokenizer.size} pieces, but config.json says ${size}`,
      );
    }
  }
  const [pad, bos, eos] = tokenizer.labels([pad_id, bos_id, eos_id]);
  // Some start from their padding token.
  if (pad !== "<pad>" || !["<s>", "<pad>"].includes(bos) || eos !== "</s>") {
    throw new CheckpointError(file, "config.json gives its special tokens other ids");
  }
  return tokenizer;
}

/**
 * A model works without it, so that nothing here keeps it from being loaded.
 *
 * @param {Files} files
 * @param {string} hash
 * @returns {Promise<MeasuredHeads | null>}  null if there is none, or it is of other weights, or broken
 */
async function readHeads(files, hash) {
  const bytes = files.get(HEADS);
  if (!bytes) return null;
  try {
    const arrays = await readNpz(new Blob([/** @type {BlobPart} */ (bytes)]), MOST);
    const text = new TextDecoder().decode(arrays.get("labels")?.bytes);
    const labels = JSON.parse(text.replaceAll(/\bNaN\b/g, "null")); // which JSON does not have
    return labels.checkpoint === hash ? { arrays, labels } : null;
  } catch {
    return null;
  }
}
