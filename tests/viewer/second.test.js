/** Traces of version 2: any Transformer's, written by whatever tool. */

import assert from "node:assert/strict";
import test from "node:test";
import { amongPair, hasPair } from "../../assets/state/pair.js";
import { lampOf, raysOf } from "../../assets/trace/beam.js";
import { everyHead } from "../../assets/trace/choice.js";
import { isMasked, isStep, targetWords, walkOf } from "../../assets/trace/kinds.js";
import { readTrace } from "../../assets/trace/saved.js";
import { looksOf } from "../../assets/trace/sentence.js";
import { shownMatrix } from "../../assets/trace/sinks.js";
import { openingHead, parseTrace, payloadOf } from "../../assets/trace/trace.js";
import { isForced } from "../../assets/trace/tree.js";
import { base64Of } from "../../assets/trace/unpack.js";
import { has, head, headCount, maskAt, sinkOf } from "../../assets/trace/weights.js";
import { wordsIn } from "../../assets/trace/whole_words.js";
import { headCsv } from "../../assets/views/export/csv.js";

/** @typedef {Record<string, any>} Values */

/** @type {(numbers: number[], ...shape: number[]) => import("../../assets/trace/unpack.js").PackedArray} */
function packed(numbers, ...shape) {
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  return { shape, dtype: "float32", data: base64Of(bytes) };
}

/** numpy.packbits of rows, by hand. @type {(rows: number[][]) => Values} */
function bits(rows) {
  const flat = rows.flat();
  const bytes = new Uint8Array(Math.ceil(flat.length / 8));
  for (const [i, bit] of flat.entries()) bytes[i >> 3] |= bit << (7 - (i & 7));
  return { shape: [rows.length, rows[0].length], dtype: "bits", data: base64Of(bytes) };
}

const START = { schema: "headlight-trace", version: 2, origin: { by: "given" } };
const THIRDS = [1 / 3, 1 / 3, 1 / 3];

/** @returns {Values}  an encoder alone, of one layer of one head over three tokens */
function encoder() {
  const encoder_self = packed([...THIRDS, 0, 0, 1, 1, 0, 0], 1, 1, 3, 3);
  return { ...START, form: "encoder", src: ["[CLS]", "a", "b"], encoder_self };
}

/** @returns {Values}  a decoder alone, whose weights somebody has recorded */
function decoder() {
  const decoder_self = packed([1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5], 1, 1, 3, 3);
  return { ...START, tgt_in: ["a", "b", "c"], tgt_out: ["b", "c", null], decoder_self };
}

test("an encoder alone is walked over its own words, and none of them is to come", () => {
  const trace = readTrace(encoder());
  assert.deepEqual(walkOf(trace), ["[CLS]", "a", "b"]);
  assert(isStep(trace, "encoder_self"));
  assert.deepEqual(trace.candidates, [[], [], []]);
  assert.equal(isForced(trace), false);
  assert.deepEqual(openingHead(trace, "encoder_self"), { layer: 0, head: 0 });
});

test("what is written is what is known of it, and where nothing is, a row stands for what it reads", () => {
  const trace = readTrace(decoder());
  assert.deepEqual(targetWords(trace), ["a", "b", "c"]);
  assert.deepEqual(
    [0, 2].map((row) => lampOf(trace, "decoder_self", row)),
    [1, 2],
  );
  const unknown = readTrace({ ...decoder(), tgt_out: null });
  assert.deepEqual(unknown.tgt_out, ["", "", ""]);
  assert.deepEqual(targetWords(unknown), ["a", "b", "c"]);
  assert.equal(lampOf(unknown, "decoder_self", 0), 0);
});

test("a trace is handed on as it came", () => {
  const payload = /** @type {any} */ (decoder());
  assert.equal(payloadOf(parseTrace(payload)), payload);
});

test("layers have the heads that they have, and means go by layer first", () => {
  const row = (/** @type {number} */ at) => [0, 1, 2].map((key) => Number(key === at));
  const one = (/** @type {number} */ at) => Array(3).fill(row(at)).flat();
  const layers = [packed([...one(0), ...one(1)], 2, 3, 3), null, packed(one(2), 1, 3, 3)];
  const { encoder_self: weights } = readTrace({ ...encoder(), encoder_self: layers }).weights;
  assert(weights);
  assert.deepEqual(
    [0, 1, 2, 3].map((layer) => headCount(weights, layer)),
    [2, 0, 1, 0],
  );
  assert.deepEqual(
    everyHead(weights).map(({ layer, head }) => `${layer}${head}`),
    ["00", "01", "20"],
  );
  assert.equal(has(weights, 1, 0), false);
  assert.equal(head(weights, { layer: 1, head: "mean" }), null);
  assert.equal(head(weights, { layer: 2, head: 1 }), null);
  const mean = head(weights, { layer: "mean", head: "mean" });
  assert.deepEqual([...(mean ?? [])].slice(0, 3), [0.25, 0.25, 0.5]);
});

test("masked is what the mask says, and never a weight of 0", () => {
  const rows = [
    [0, 0, 0],
    [1, 1, 0],
    [1, 1, 1],
  ];
  const numbers = [0, 0, 0, 0, 1, 0, 0.5, 0.5, 0];
  const values = { ...encoder(), encoder_self: packed(numbers, 1, 1, 3, 3) };
  const trace = readTrace({ ...values, mask: { encoder_self: bits(rows) } });
  const mask = trace.weights.encoder_self?.causal;
  const masked = rows.map((row, query) =>
    row.map((_, key) => isMasked("encoder_self", query, key, mask)),
  );
  assert.deepEqual(
    masked,
    rows.map((row) => row.map((bit) => !bit)),
  );
  const looks = (/** @type {number} */ row) =>
    looksOf(trace, "encoder_self", { layer: 0, head: 0 }, row)?.form;
  assert.deepEqual([0, 1].map(looks), ["masked", "one"]);
  assert.throws(() => readTrace({ ...values, mask: { encoder_self: "none" } }), {
    message: "file_sums",
  });
  const wrong = bits([
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 1],
  ]);
  assert.throws(() => readTrace({ ...values, mask: { encoder_self: wrong } }), {
    message: "file_future",
  });
});

test("a mask may be another in each layer: what several join is what any of them sees", () => {
  const causal = [1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5];
  const near = [1, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5];
  const decoder_self = packed([...causal, ...near], 2, 1, 3, 3);
  const mask = { decoder_self: ["causal", { window: 2 }] };
  const { decoder_self: weights } = readTrace({ ...decoder(), decoder_self, mask }).weights;
  assert(weights);
  const at = (/** @type {number | "mean"} */ layer) =>
    isMasked("decoder_self", 2, 0, maskAt(weights, { layer }));
  assert.deepEqual([at(0), at(1), at("mean")], [false, true, false]);
  assert(isMasked("decoder_self", 0, 1, maskAt(weights, { layer: "mean" })));
});

test("a sink is told beside the keys, and is none", () => {
  const decoder_self = packed([0.5, 0, 0, 0.25, 0.5, 0, 0.25, 0.25, 0.25], 1, 1, 3, 3);
  const sink = { decoder_self: [packed([0.5, 0.25, 0.25], 1, 3)] };
  const trace = readTrace({ ...decoder(), decoder_self, sink });
  const { decoder_self: weights } = trace.weights;
  assert(weights);
  const choice = { layer: 0, head: 0 };
  assert.deepEqual([...(sinkOf(weights, choice) ?? [])], [0.5, 0.25, 0.25]);
  const { keys, values, causal } = shownMatrix(weights, "decoder_self", choice);
  assert.deepEqual([keys, ...values.subarray(0, 4)], [4, 0.5, 0.5, 0, 0]);
  assert.deepEqual(
    [0, 1, 2].map((key) => isMasked("decoder_self", 0, key, causal)),
    [false, false, true],
  );
  const rays = raysOf(weights, "decoder_self", [choice], { query: 0, key: null });
  assert.deepEqual(
    rays.map(({ key, weight }) => [key, weight]),
    [[0, 0.5]],
  );
  const table = headCsv(trace, "decoder_self", choice, (name) => name).split("\r\n");
  assert.deepEqual(table.slice(0, 2), [
    '\uFEFF"axis.reads","axis.predicts","axis.sink","a","b","c"',
    '"a","b",0.5,0.5,,',
  ]);
  assert.throws(() => readTrace({ ...decoder(), decoder_self }), { message: "file_sums" });
});

test("rows add up as exactly as the model computed", () => {
  const decoder_self = packed([1, 0, 0, 0.5, 0.503, 0, 0.25, 0.25, 0.5], 1, 1, 3, 3);
  assert.throws(() => readTrace({ ...decoder(), decoder_self }), { message: "file_sums" });
  const origin = { by: "hooks", dtype: "bfloat16" };
  assert(readTrace({ ...decoder(), decoder_self, origin }));
});

test("words are told by the tokenizer, and what is special is none", () => {
  const words = readTrace({ ...encoder(), words: { src: [null, 0, 0], tgt: null } });
  assert.deepEqual(wordsIn(words, words.src, "src"), { words: ["ab"], pieces: [[1, 2]] });
  const parts = readTrace({ ...encoder(), src: ["[CLS]", "aa", "bb"], parts: { src: [-1, 0, 0] } });
  assert.deepEqual(wordsIn(parts, parts.src, "src").pieces, [[1, 2]]);
});

test("of two sentences either way is shown alone", () => {
  const trace = readTrace({ ...encoder(), parts: { src: [-1, 0, 1] } });
  assert(hasPair({ trace }, "encoder_self"));
  const among = amongPair({ trace, pair: "ab" }, "encoder_self");
  assert.deepEqual(
    [
      [1, 2],
      [2, 1],
      [1, 1],
      [0, 2],
    ].map(([query, key]) => among?.(query, key)),
    [true, false, false, false],
  );
  assert.equal(amongPair({ trace, pair: "all" }, "encoder_self"), undefined);
  assert.equal(hasPair({ trace: readTrace(encoder()) }, "encoder_self"), false);
});

test("what contradicts the format is refused by what is wrong with it", () => {
  const ones = packed([1, 1, 1, 1], 2, 2);
  /** @type {[code: string, change: Values][]} */
  const wrong = [
    ["file_field", { src: null }],
    ["file_field", { origin: { by: "somebody" } }],
    ["file_field", { origin: { by: "given", dtype: "int4" } }],
    ["file_field", { form: "decoder" }],
    ["file_field", { src_ids: [1] }],
    ["file_field", { parts: { src: [0] } }],
    ["file_field", { words: { src: ["a", "b", "c"] } }],
    ["file_field", { hidden: [{ at: 3, token: "x" }] }],
    ["file_field", { encoder_self: [null] }],
    ["file_field", { encoder_self: null }],
    ["file_field", { mask: { encoder_self: "all" } }],
    ["file_field", { mask: { encoder_self: { window: 0 } } }],
    [
      "file_field",
      {
        mask: {
          encoder_self: bits([
            [1, 1],
            [1, 1],
          ]),
        },
      },
    ],
    ["file_field", { mask: { encoder_self: ["none", "none"] } }],
    ["file_field", { sink: { encoder_self: [ones] } }],
    ["file_shape", { encoder_self: [ones] }],
    ["file_shape", { encoder_self: packed([1], 1, 1, 1, 1) }],
    ["file_values", { encoder_self: packed([2, -1, 0, 1, 0, 0, 1, 0, 0], 1, 1, 3, 3) }],
    ["file_field", { cross: encoder().encoder_self }],
  ];
  for (const [message, change] of wrong) {
    assert.throws(
      () => readTrace({ ...encoder(), ...change }),
      { message },
      JSON.stringify(change),
    );
  }
});
