import assert from "node:assert/strict";
import test from "node:test";
import { workOut } from "../../assets/trace/arithmetic.js";
import { unpackParts, unpackValues } from "../../assets/trace/unpack.js";
import { headsAt } from "../../assets/trace/weights.js";

/** @type {(...rows: number[][]) => Float32Array[]} */
const matrix = (...rows) => rows.map((row) => Float32Array.from(row));

/** @type {(actual: number, expected: number, message?: string) => void} */
function close(actual, expected, message) {
  assert(Math.abs(actual - expected) < 1e-6, message ?? `${actual}, not ${expected}`);
}

/** Two tokens; d_head is 4, so that scores are products halved. By hand. */
const [E, SUM] = [Math.exp(-1), 1 + Math.exp(-1)];
const NUMBERS = {
  query: matrix([1, 0, 0, 0], [1, 1, 0, 0]),
  key: matrix([2, 0, 0, 0], [0, 0, 1, 0]),
  value: matrix([10, 0], [0, 20]),
  scores: matrix([1, 0], [1, 0]),
  weights: matrix([1, 0], [1 / SUM, E / SUM]),
};

test("a weight is the softmax of a scaled product, and brings its share of a value", () => {
  const worked = workOut(NUMBERS, { kind: "decoder_self", query: 1, key: 0 });
  assert.deepEqual(worked.products, [2, 0, 0, 0]);
  assert.equal(worked.dot, 2);
  assert.deepEqual(
    worked.row.map(({ dot }) => dot),
    [2, 0],
  );
  assert.equal(worked.scaled, 1);
  assert.equal(worked.largest, 1);
  close(worked.row[1].exp, E);
  close(worked.sum, SUM);
  close(worked.computed, 1 / SUM);
  assert.equal(worked.changed, false);
  assert.equal(worked.masked, false);
  close(worked.share[0], 10 / SUM, "1e-6 of ten is enough of float32");
  close(worked.output[0] / 10 + worked.output[1] / 20, 1);
});

test("a masked key has no part in the row", () => {
  const worked = workOut(NUMBERS, { kind: "decoder_self", query: 0, key: 1 });
  assert.equal(worked.masked, true);
  assert.equal(worked.computed, 0);
  assert.equal(worked.sum, 1);
  assert.deepEqual(
    worked.row.map(({ masked }) => masked),
    [false, true],
  );
  assert.equal(worked.changed, false);
  const seen = workOut(NUMBERS, { kind: "encoder_self", query: 0, key: 1 });
  assert.equal(seen.masked, false);
  close(seen.sum, SUM);
});

test("what an intervention changed is told from what the numbers give", () => {
  const even = { ...NUMBERS, weights: matrix([1, 0], [0.5, 0.5]) };
  assert.equal(workOut(even, { kind: "decoder_self", query: 1, key: 0 }).changed, true);
  const scores = { ...NUMBERS, scores: matrix([1, 0], [1.5, 0.5]) };
  assert.equal(workOut(scores, { kind: "decoder_self", query: 1, key: 0 }).changed, true);
});

test("numbers come out of base64 as they went in", () => {
  const rows = [
    [1, -2.5],
    [0.1, Number.NEGATIVE_INFINITY],
  ];
  const bytes = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  const packed = { shape: [2, 2], dtype: "float32", data: btoa(String.fromCharCode(...bytes)) };
  const all = { query: packed, key: packed, value: packed, scores: packed, weights: packed };
  assert.deepEqual(unpackParts(all).scores, matrix(...rows));
  assert.throws(() => unpackParts({ ...all, key: { ...packed, dtype: "int8" } }), /float32/);
});

test("halves of IEEE 754 are read, the smallest and the largest weight too", () => {
  // 0, the smallest subnormal, the largest one, the smallest normal, 1/3 rounded, 1.
  const bits = [0x0000, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3c00];
  const bytes = bits.flatMap((half) => [half & 255, half >> 8]);
  const packed = { shape: [6], dtype: "float16", data: btoa(String.fromCharCode(...bytes)) };
  const expected = [0, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 1365 / 4096, 1];
  assert.deepEqual([...unpackValues(packed)], expected);
  assert.throws(() => unpackValues({ ...packed, dtype: "int8" }), /float16/);
});

test("of a mean the head that gives a cell most is worked out", () => {
  const data = Float32Array.from([0.1, 0.9, 0.5, 0.5, 0.3, 0.7, 0.2, 0.8]);
  const weights = { layers: 2, heads: 2, queries: 1, keys: 2, data };
  const cell = /** @type {const} */ ({ kind: "cross", query: 0, key: 1 });
  const names = (/** @type {import("../../assets/trace/choice.js").Choice} */ choice) =>
    headsAt(weights, { ...cell, ...choice }).map(({ layer, head }) => `${layer}.${head}`);
  assert.deepEqual(names({ layer: "mean", head: "max" }), ["0.0", "1.1", "1.0", "0.1"]);
  assert.deepEqual(names({ layer: 1, head: "mean" }), ["1.1", "1.0"]);
  assert.deepEqual(names({ layer: "max", head: 0 }), ["0.0", "1.0"]);
  assert.deepEqual(names({ layer: 0, head: 1 }), ["0.1"]);
});
