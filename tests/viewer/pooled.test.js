/** A matrix drawn smaller than it is: nothing that stands out in it may be lost. */

import assert from "node:assert/strict";
import test from "node:test";
import { pooled } from "../../assets/draw/pooled.js";

const MATRIX = Float32Array.of(0.9, 0, 0, 0, 0.3, 0.7, 0, 0, 0.1, 0.2, 0.7, 0, 0, 0, 0.1, 0.9);
const [QUERIES, KEYS] = [4, 4];

test("of as many cells as there are each is itself, and masked ones are nothing", () => {
  const head = /** @type {const} */ ({ queries: QUERIES, keys: KEYS, kind: "decoder_self" });
  const shown = pooled(MATRIX, head, { width: 4, height: 4 });
  const hidden = [1, 2, 3, 6, 7, 11];
  for (const [i, value] of MATRIX.entries()) {
    if (hidden.includes(i)) assert(Number.isNaN(shown[i]));
    else assert.equal(shown[i], value);
  }
});

test("a cell that stands for several is the largest of them", () => {
  const head = /** @type {const} */ ({ queries: QUERIES, keys: KEYS, kind: "decoder_self" });
  const shown = pooled(MATRIX, head, { width: 2, height: 2 });
  assert.deepEqual([...shown].map(rounded), [0.9, Number.NaN, 0.2, 0.9]);
});

test("rows that are still to be written are not told by their neighbours", () => {
  const head = /** @type {const} */ ({ queries: 3, keys: KEYS, kind: "encoder_self" });
  const shown = pooled(MATRIX, head, { width: 1, height: 1 });
  assert.deepEqual([...shown].map(rounded), [0.9]);
  const last = pooled(MATRIX.slice(4), { ...head, queries: 2 }, { width: 4, height: 1 });
  assert.deepEqual([...last].map(rounded), [0.3, 0.7, 0.7, 0]);
});

test("a mask cell by cell hides what it says", () => {
  const allowed = Uint8Array.of(0, 1, 1, 1);
  const head = /** @type {const} */ ({ queries: 1, keys: KEYS, kind: "encoder_self" });
  const masked = { ...head, causal: { keys: KEYS, allowed } };
  const shown = pooled(MATRIX, masked, { width: 2, height: 1 });
  assert.deepEqual([...shown].map(rounded), [0, 0]);
});

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 1000) / 1000;
}
