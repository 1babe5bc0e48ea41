import assert from "node:assert/strict";
import test from "node:test";
import { readGradients } from "../../assets/trace/gradients.js";
import { base64Of } from "../../assets/trace/unpack.js";

/** @param {number[][]} rows */
function packed(rows) {
  const values = Float32Array.from(rows.flat());
  const data = base64Of(new Uint8Array(values.buffer));
  return { shape: [rows.length, rows[0].length], dtype: "float32", data };
}

const SAID = {
  ...{ value: -0.5, baseline: -6.5, gap: 0.01 },
  source_words: ["a", "red", "flower"],
  prefix_words: ["一朵"],
  source: packed([
    [0.5, 0, -0.25],
    [1, -4, 3],
  ]),
  prefix: packed([[0.25], [6]]),
};

test("the words of both sides stand in a row, beside what leaving out the source's did", () => {
  const gradients = readGradients(SAID, Float32Array.of(-1, 2, -3));
  assert.deepEqual(gradients.words, ["a", "red", "flower", "一朵"]);
  assert.deepEqual(
    [...gradients.numbers.values],
    [...[0.5, 0, -0.25, 0.25], ...[1, -4, 3, 6], ...[1, -2, 3, Number.NaN]],
  );
  assert.equal(gradients.sum, 6, "and so is −0.5 − −6.5");
  assert.deepEqual(gradients.most, { word: "一朵", part: 6 });
  assert.deepEqual(gradients.compared, ["a", "red", "flower"]);
  assert.deepEqual([...gradients.reading(1)], [1, -4, 3]);
});

test("of a decoder alone its own words are compared, as far as they are read", () => {
  const none = { ...SAID, source_words: [], source: packed([[], []]) };
  const own = { ...none, prefix_words: SAID.source_words, prefix: SAID.source };
  const gradients = readGradients(own, Float32Array.of(-1, 2, Number.NaN, Number.NaN));
  assert.deepEqual([...gradients.numbers.values].slice(6), [1, -2, Number.NaN]);
  assert.deepEqual([...gradients.reading(2)], [1, -2, Number.NaN]);
  assert.equal(
    readGradients({ ...none, prefix_words: [], prefix: none.source }, Float32Array.of()).most,
    null,
  );
});
