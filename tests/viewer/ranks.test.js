import assert from "node:assert/strict";
import test from "node:test";
import { ranks } from "../../assets/trace/ranks.js";

/** @type {(rows: number[][], kind: import("../../assets/trace/kinds.js").Kind) => number[]} */
function ranksOf(rows, kind) {
  const values = Float32Array.from(rows.flat());
  return [...ranks(values, { queries: rows.length, keys: rows[0].length, kind })];
}

test("a row's smallest is 0, its largest 1, and equals share a rank", () => {
  assert.deepEqual(ranksOf([[0.5, 0.125, 0.25]], "cross"), [1, 0, 0.5]);
  assert.deepEqual(ranksOf([[0.25, 0.25, 0.5]], "cross"), [0.25, 0.25, 1]);
  assert.deepEqual(ranksOf([[0.5, 0.5]], "cross"), [0.5, 0.5]);
});

test("under an inverted mask a row begins at its diagonal", () => {
  const values = Float32Array.from([0.5, 0.25, 0.25, 0, 0.75, 0.25, 0, 0, 1]);
  const matrix = /** @type {const} */ ({ queries: 3, keys: 3, kind: "decoder_self" });
  const cells = ranks(values, { ...matrix, causal: "inverted" });
  assert.deepEqual([...cells], [1, 0.25, 0.25, 0, 1, 0, 0, 0, 1]);
});

test("masked cells are no part of a row", () => {
  const causal = [
    [1, 0, 0],
    [0.75, 0.25, 0],
    [0.25, 0.5, 0.25],
  ];
  assert.deepEqual(ranksOf(causal, "decoder_self"), [1, 0, 0, 1, 0, 0, 0.25, 1, 0.25]);
});
