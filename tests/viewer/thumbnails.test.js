/** Thumbnails of heads: nothing that stands out in a head may be lost, and what came along is read. */

import assert from "node:assert/strict";
import test from "node:test";
import { smallMask, smallOf, thumbnail } from "../../assets/trace/thumbnails.js";
import { weightsOf } from "../../assets/trace/weights.js";

test("of few tokens a thumbnail has every cell, rounded up to a 255th", () => {
  const values = Float32Array.of(1, 0, 0.5, 1e-4);
  const { rows, keys, bytes } = smallOf(values, { queries: 2, keys: 2 });
  assert.deepEqual([rows, keys, ...bytes], [2, 2, 255, 0, 128, 1]);
});

test("of many, each cell is the largest of those that fall together", () => {
  const size = { queries: 64, keys: 40 };
  const values = new Float32Array(64 * 40);
  values[5 * 40 + 39] = 0.2; // row 5 of 64 falls into 2, key 39 of 40 into 31
  values[4 * 40 + 39] = 0.5;
  const { rows, keys, bytes } = smallOf(values, size);
  assert.deepEqual([rows, keys], [32, 32]);
  assert.equal(bytes[2 * 32 + 31], 128);
  assert.equal(bytes.filter(Boolean).length, 1);
});

test("what came along is read, in the order of the heads of unlike layers", () => {
  const size = { layers: 3, heads: 2, counts: [1, 0, 2], queries: 100, keys: 100 };
  const bytes = Uint8Array.of(1, 2, 3);
  const weights = weightsOf(new Float32Array(), size);
  const sent = { ...weights, arrived: new Map(), thumbnails: { rows: 1, keys: 1, bytes } };
  assert.deepEqual([...(thumbnail(sent, 2, 1)?.bytes ?? [])], [3]);
  assert.equal(thumbnail({ ...weights, arrived: new Map() }, 0, 0), null, "nothing is here");
});

test("cells are hatched where all that falls together is masked", () => {
  const masked = smallMask("decoder_self", { queries: 4, keys: 4 }, true, { rows: 2, keys: 2 });
  assert.deepEqual([...masked], [0, 1, 0, 0]);
});
