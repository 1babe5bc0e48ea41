/** All heads at one moment of a film: when their grids are made anew. */

import assert from "node:assert/strict";
import test from "node:test";
import { shapeOf } from "../../assets/questions/training/film_heads.js";
import { makeTrace } from "./traces.js";

test("another moment of the same model is painted on the grids that are there", () => {
  const [{ weights: one }, { weights: other }] = [makeTrace(), makeTrace()];
  other.cross?.data.fill(1);
  assert.equal(shapeOf(one), shapeOf(other));
});

test("another size, or a kind more or less, needs other grids", () => {
  const { weights } = makeTrace();
  const others = [
    makeTrace({}, { layers: 3 }).weights,
    makeTrace({}, { heads: 2 }).weights,
    makeTrace({ tgt_ids: [5, 2] }).weights,
    { decoder_self: weights.decoder_self },
    { cross: weights.decoder_self },
  ];
  assert.equal(new Set([weights, ...others].map(shapeOf)).size, 6);
});
