/**
 * A checkpoint's weights: one safetensors file, or shards and their index
 * (`transformer/checkpoint/weights.py`).
 *
 * A file may say anything: its header is compared with its length and with the configuration before
 * memory of any size that it names is taken.
 */

import { isCount, isObject, listOf } from "../../trace/fields.js";
import { halves } from "../../trace/unpack.js";
import { CheckpointError } from "../errors.js";
import { roomFor } from "../model/kernel.js";
import { Model } from "../model/towers.js";

/** @import { TransformerConfig } from "../model/config.js" */
/** @typedef {Map<string, Uint8Array<ArrayBuffer>>} Files  by their names in the folder */

const WEIGHTS = "model.safetensors";
export const INDEX = "model.safetensors.index.json";
const SHARD = /^model-\d{5}-of-\d{5}\.safetensors$/;

/** What is no UTF-8 is refused. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Bytes of a header; safetensors' own limit. */
const LONGEST = 100_000_000n;

/** Bytes of a number. */
const SIZES = /** @type {const} */ ({ F16: 2, BF16: 2, F32: 4 });

/**
 * A tensor in its file: where its bytes are, and what they mean.
 *
 * @typedef {{file: string, dtype: keyof typeof SIZES, shape: number[], bytes: Uint8Array}} Stored
 */

/** @typedef {Pick<Stored, "dtype" | "shape"> & {data_offsets: [number, number]}} Described  in a header, as it should be */

const isCounts = listOf(isCount);

/**
 * The model that `config` describes, with the weights of a checkpoint.
 *
 * @param {Files} files
 * @param {TransformerConfig} config
 * @returns {Model}
 * @throws {CheckpointError} a file is missing, no safetensors file, or contradicts the configuration
 */
export function readModel(files, config) {
  const sharded = !files.has(WEIGHTS) && files.has(INDEX);
  const stored = sharded ? shardHeaders(files) : header(files, WEIGHTS);
  checkShapes(stored, config, sharded ? INDEX : WEIGHTS);
  const room = roomFor([...stored.values()].map(({ shape }) => shape));
  return new Model((name) => numbers(name, /** @type {Stored} */ (stored.get(name)), room), config);
}

/**
 * @param {Map<string, Stored>} stored
 * @param {TransformerConfig} config
 * @param {string} listing  the file that names them all
 */
function checkShapes(stored, config, listing) {
  if (config.num_encoder_layers + config.num_decoder_layers > stored.size) {
    throw new CheckpointError(listing, "config.json asks for more layers than there are weights");
  }
  /** @type {Map<string, number[]>} */
  const expected = new Map();
  // A model that is only outlined: its weights have shapes and no memory.
  new Model((name, ...shape) => {
    expected.set(name, shape);
    return new Float32Array(0);
  }, config);
  const missing = [...expected.keys()].filter((name) => !stored.has(name)).sort();
  if (missing.length) {
    throw new CheckpointError(listing, `the weights of ${missing[0]} are missing`);
  }
  const unknown = [...stored.keys()].filter((name) => !expected.has(name)).sort();
  if (unknown.length) {
    throw new CheckpointError(listing, `config.json describes no weights named ${unknown[0]}`);
  }
  for (const [name, shape] of expected) {
    const tensor = /** @type {Stored} */ (stored.get(name));
    if (tensor.shape.join() !== shape.join()) {
      const [has, asks] = [tensor.shape, shape].map((sides) => `[${sides.join(", ")}]`);
      throw new CheckpointError(
        tensor.file,
        `${name} has shape ${has}, but config.json asks for ${asks}`,
      );
    }
  }
}

/**
 * The tensors of one file, none of them read.
 *
 * @type {(files: Files, file: string) => Map<string, Stored>}
 */
function header(files, file) {
  const refuse = (/** @type {string} */ why) =>
    new CheckpointError(file, `missing, or not a safetensors file (${why})`);
  const bytes = files.get(file);
  if (!bytes) throw refuse("no such file");
  if (bytes.length < 8) throw refuse("it has no header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(0, true);
  if (length > BigInt(bytes.length - 8)) throw refuse("its header is longer than the file");
  if (length > LONGEST) throw refuse("its header is longer than any");
  const data = bytes.subarray(8 + Number(length));
  /** @type {any} */
  let described;
  try {
    described = JSON.parse(UTF8.decode(bytes.subarray(8, 8 + Number(length))));
  } catch {
    throw refuse("its header is no JSON");
  }
  if (!isObject(described)) throw refuse("its header is no object");
  /** @type {Map<string, Stored>} */
  const stored = new Map();
  let end = 0;
  const entries = Object.entries(described).filter(([name]) => name !== "__metadata__");
  for (const [name, entry] of entries.sort(([, a], [, b]) => startOf(a) - startOf(b))) {
    if (!isObject(entry)) throw refuse(`${name} is not described`);
    const { dtype, shape, data_offsets: offsets } = /** @type {Described} */ (entry);
    if (typeof dtype !== "string") throw refuse(`${name} has no type`);
    if (!Object.hasOwn(SIZES, dtype)) {
      throw new CheckpointError(
        file,
        `${name} holds ${dtype.slice(0, 20)}, and weights are floats`,
      );
    }
    if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
      throw refuse(`${name} has no shape or no place`);
    }
    const size = shape.reduce((product, side) => product * side, SIZES[dtype]);
    // One after the other, without a gap: no byte is two tensors', and none is nobody's.
    if (offsets[0] !== end || offsets[1] - offsets[0] !== size || offsets[1] > data.length) {
      throw refuse(`${name} does not lie where its header says`);
    }
    end = offsets[1];
    stored.set(name, { file, dtype, shape, bytes: data.subarray(...offsets) });
  }
  if (end !== data.length) throw refuse("it is longer than its header says");
  return stored;
}

/**
 * The tensors of all shards, each in the one that the index names.
 *
 * @param {Files} files
 */
function shardHeaders(files) {
  const map = readIndex(files);
  /** @type {Map<string, Stored>} */
  const stored = new Map();
  for (const file of [...new Set(map.values())].sort()) {
    for (const [name, tensor] of header(files, file)) stored.set(name, tensor);
  }
  for (const name of [...new Set([...map.keys(), ...stored.keys()])].sort()) {
    const [tensor, file] = [stored.get(name), map.get(name)];
    if (!tensor) {
      throw new CheckpointError(file ?? INDEX, `it lacks ${name}, which ${INDEX} says it holds`);
    }
    if (tensor.file !== file) {
      throw new CheckpointError(tensor.file, `${INDEX} does not say that it holds ${name}`);
    }
  }
  return stored;
}

/**
 * Which shard holds which tensor.
 *
 * @param {Files} files
 * @returns {Map<string, string>}
 */
function readIndex(files) {
  /** @type {any} */
  let map;
  try {
    map = JSON.parse(UTF8.decode(files.get(INDEX))).weight_map;
  } catch {
    map = null;
  }
  if (!isObject(map) || !Object.keys(map).length) {
    throw new CheckpointError(INDEX, 'it must be an object with a "weight_map" object in it');
  }
  for (const file of Object.values(map)) {
    if (typeof file !== "string" || !SHARD.test(file)) {
      const text = JSON.stringify(file).slice(0, 80);
      throw new CheckpointError(
        INDEX,
        `${text} is no name of a shard, such as model-00001-of-00002.safetensors`,
      );
    }
  }
  return new Map(Object.entries(/** @type {Record<string, string>} */ (map)));
}

/**
 * A tensor's numbers as float32.
 *
 * @param {string} name
 * @param {Stored} stored
 * @param {(size: number) => Float32Array} room
 * @throws {CheckpointError} they are not all finite, or all of them are 0
 */
function numbers(name, { file, dtype, shape, bytes }, room) {
  const values = room(bytes.length / SIZES[dtype]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype === "F32") {
    for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(4 * i, true);
  } else if (dtype === "BF16") {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (let i = 0; i < bits.length; i++) bits[i] = view.getUint16(2 * i, true) << 16;
  } else {
    const table = halves();
    for (let i = 0; i < values.length; i++) values[i] = table[view.getUint16(2 * i, true)];
  }
  let any = false;
  let sound = true;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value - value !== 0) sound = false; // as of infinity and NaN alone
    if (value !== 0) any = true;
  }
  if (!sound) throw new CheckpointError(file, `${name} holds values that are not finite numbers`);
  // A bias, or the scale of a norm, may be.
  if (!any && shape.length > 1) {
    throw new CheckpointError(file, `${name} holds nothing but zeros`);
  }
  return values;
}

/** @param {any} entry */
function startOf(entry) {
  const start = entry?.data_offsets?.[0];
  return Number.isSafeInteger(start) ? start : -1;
}
