/** A stranger's files of a model, as the engine reads them: refused before anything is made of them. */

import assert from "node:assert/strict";
import test from "node:test";
import { plainSha256, sha256 } from "../../assets/engine/checkpoint/checksums.js";
import { load } from "../../assets/engine/checkpoint/folder.js";
import { readModel } from "../../assets/engine/checkpoint/weights.js";
import { readConfig } from "../../assets/engine/model/config.js";
import { readModelFile } from "../../assets/engine/text/model_file.js";
import { half } from "../../assets/trace/half.js";

const SIZES = { src_vocab_size: 0, tgt_vocab_size: 6, d_model: 2, num_heads: 1, d_ff: 2 };
const CONFIG = readConfig({
  ...SIZES,
  ...{ num_encoder_layers: 0, num_decoder_layers: 1, max_length: 8, tied_embeddings: "output" },
});

/** @type {Record<string, number[]>} */
const SHAPES = {
  "decoder.embedding.token.weight": [6, 2],
  "decoder.layers.0.self_attention.query_key_value.weight": [6, 2],
  "decoder.layers.0.self_attention.query_key_value.bias": [6],
  "decoder.layers.0.self_attention.output.weight": [2, 2],
  "decoder.layers.0.self_attention.output.bias": [2],
  "decoder.layers.0.self_attention_residual.norm.weight": [2],
  "decoder.layers.0.self_attention_residual.norm.bias": [2],
  "decoder.layers.0.feed_forward.inner.weight": [2, 2],
  "decoder.layers.0.feed_forward.inner.bias": [2],
  "decoder.layers.0.feed_forward.outer.weight": [2, 2],
  "decoder.layers.0.feed_forward.outer.bias": [2],
  "decoder.layers.0.feed_forward_residual.norm.weight": [2],
  "decoder.layers.0.feed_forward_residual.norm.bias": [2],
  "decoder.output.bias": [6],
};

/** @typedef {Record<string, any>} Header */

/** @param {(header: Header) => void} [spoil] */
function file(spoil = () => {}, extra = 0) {
  /** @type {Header} */
  const header = {};
  let end = 0;
  for (const [name, shape] of Object.entries(SHAPES)) {
    const size = shape.reduce((product, side) => product * side, 2);
    header[name] = { dtype: "F16", shape, data_offsets: [end, end + size] };
    end += size;
  }
  spoil(header);
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + end + extra);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.fill(0x3c, 8 + text.length, 8 + text.length + end); // 1.06
  return new Map([["model.safetensors", bytes]]);
}

test("a file that is as it should be is read", () => {
  const model = readModel(file(), CONFIG);
  assert.equal(model.decoder.output.weight.length, 12);
  assert.equal(Math.round(100 * model.decoder.output.weight[0]), 106);
});

const FIRST = "decoder.embedding.token.weight";

/** @type {[string, (header: Header) => void, RegExp][]} */
const LIES = [
  ["a type that is no float", (h) => (h[FIRST].dtype = "I64"), /holds I64, and weights are floats/],
  ["a type of no name", (h) => (h[FIRST].dtype = "toString"), /weights are floats/],
  ["a larger shape", (h) => (h[FIRST].shape = [6, 1e9]), /does not lie where its header says/],
  ["a negative side", (h) => (h[FIRST].shape = [-6, -2]), /has no shape/],
  ["a fraction of a side", (h) => (h[FIRST].shape = [1.5, 8]), /has no shape/],
  ["sides too large to count", (h) => (h[FIRST].shape = [2 ** 52, 2 ** 52]), /does not lie/],
  ["another shape", (h) => (h[FIRST].shape = [2, 6]), /has shape \[2, 6\], but config.json asks/],
  ["offsets past the end", (h) => (h["decoder.output.bias"].data_offsets[1] += 2), /does not lie/],
  ["two in one place", (h) => (h[FIRST].data_offsets = [24, 48]), /does not lie/],
  [
    "offsets that are none",
    (h) => (h[FIRST].data_offsets = ["0", "24"]),
    /has no shape or no place/,
  ],
  ["nothing of a tensor", (h) => (h[FIRST] = 5), /is not described/],
  ["a tensor too few", (h) => delete h["decoder.output.bias"], /longer than its header says/],
  [
    "another name",
    (h) => rename(h, "decoder.output.bias", "evil"),
    /weights of decoder.output.bias/,
  ],
];

/** @type {(header: Header, from: string, to: string) => void} */
function rename(header, from, to) {
  header[to] = header[from];
  delete header[from];
}

for (const [what, spoil, sentence] of LIES) {
  test(`a header that lies is refused: ${what}`, () => {
    assert.throws(() => readModel(file(spoil), CONFIG), sentence);
  });
}

test("a file that is cut short, or longer, is refused", () => {
  const whole = /** @type {Uint8Array<ArrayBuffer>} */ (file().get("model.safetensors"));
  for (const length of [0, 7, 8, 40, whole.length - 1]) {
    const cut = new Map([["model.safetensors", whole.slice(0, length)]]);
    assert.throws(() => readModel(cut, CONFIG), /not a safetensors file/);
  }
  assert.throws(() => readModel(file(undefined, 1), CONFIG), /longer than its header says/);
  const long = file();
  new DataView(/** @type {any} */ (long.get("model.safetensors")).buffer).setBigUint64(
    0,
    2n ** 63n,
    true,
  );
  assert.throws(() => readModel(long, CONFIG), /longer than the file/);
  assert.throws(() => readModel(new Map(), CONFIG), /no such file/);
});

test("weights that are no numbers, or all nothing, are refused", () => {
  const spoiled = (/** @type {number} */ byte) => {
    const files = file();
    const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (files.get("model.safetensors"));
    const header = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    bytes.fill(byte, 8 + header, 8 + header + 24);
    return files;
  };
  assert.throws(() => readModel(spoiled(0x7c), CONFIG), /not finite numbers/);
  assert.throws(() => readModel(spoiled(0), CONFIG), /nothing but zeros/);
});

test("an index names shards of its own folder alone", () => {
  const index = (/** @type {unknown} */ map) =>
    new Map([
      [
        "model.safetensors.index.json",
        new TextEncoder().encode(JSON.stringify({ weight_map: map })),
      ],
    ]);
  assert.throws(() => readModel(index({}), CONFIG), /weight_map/);
  assert.throws(() => readModel(index({ x: "../x.safetensors" }), CONFIG), /is no name of a shard/);
});

test("a configuration that is impossible is refused", () => {
  const asks = (/** @type {object} */ changes) => () => readConfig({ ...CONFIG, ...changes });
  assert.throws(asks({ d_model: "2" }), /d_model must be a whole number/);
  assert.throws(asks({ d_model: 3 }), /must be even/);
  assert.throws(asks({ num_heads: 0 }), /at least 1/);
  assert.throws(asks({ max_length: 1e9 }), /max_length can be 16384/);
  assert.throws(asks({ activation: "tanh" }), /one of relu, gelu, silu/);
  assert.throws(asks({ evil: 1 }), /unknown settings: evil/);
  assert.throws(asks({ eos_id: 6 }), /outside the vocabulary/);
  assert.throws(asks({ banned_ids: [2] }), /no sentence could end/);
  const layers = readConfig({ ...CONFIG, num_decoder_layers: 1e9 });
  assert.throws(() => readModel(file(), layers), /more layers than there are weights/);
});

test("a folder without tokenizers, or with broken ones, is refused by its file's name", async () => {
  const config = new TextEncoder().encode(JSON.stringify({ model: CONFIG }));
  await assert.rejects(load("x", new Map(), ""), /config.json/);
  await assert.rejects(load("x", new Map([["config.json", config]]), ""), /tokenizer.model/);
  const broken = new Map([
    ["config.json", config],
    ["tokenizer.model", new Uint8Array([10, 200, 1, 1])],
  ]);
  await assert.rejects(load("x", broken, ""), /the message ends within a field/);
  assert.throws(() => readModelFile(new Uint8Array(20).fill(255)), /SentencePiece/);
});

test("SHA-256 is the same without the browser's own", async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => 7 * i);
    const plain = Array.from(plainSha256(bytes), (x) => x.toString(16).padStart(2, "0")).join("");
    assert.equal(plain, await sha256(bytes));
  }
});

test("float16 is rounded to the nearest, ties to even", () => {
  /** @type {[number, number][]} */
  const pairs = [
    ...[
      [0, 0],
      [1, 0x3c00],
      [-2, 0xc000],
      [65504, 0x7bff],
      [1e9, 0x7c00],
      [Number.NaN, 0x7e00],
    ],
    ...[
      [2 ** -24, 1],
      [2 ** -25, 0],
      [3 * 2 ** -25, 2],
      [2 ** -14, 0x400],
      [2 ** -15, 0x200],
    ],
    ...[
      [1 + 2 ** -11, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02],
      [1 - 2 ** -13, 0x3c00],
    ],
  ].map(([value, bits]) => [value, bits]);
  for (const [value, bits] of pairs) assert.equal(half(value), bits, String(value));
});
