import assert from "node:assert/strict";
import test from "node:test";
import { measureHeads } from "../../assets/trace/measured.js";
import { head, headWeights, isHere, weightsOf } from "../../assets/trace/weights.js";
import { makeTrace } from "./traces.js";

const SIZE = { layers: 2, heads: 2, queries: 2, keys: 2 };
const L1H2 = { layer: 0, head: 1 };
const MEAN = /** @type {const} */ ({ layer: 1, head: "mean" });

test("of a large trace a head is read once it is here, and an aggregate is one of them", () => {
  const arrived = new Map();
  const weights = { ...weightsOf(new Float32Array(), SIZE), arrived };
  for (const choice of [L1H2, MEAN]) {
    assert.equal(isHere(weights, choice), false);
    assert.equal(head(weights, choice), null);
    assert.deepEqual(headWeights(weights, choice), new Float32Array(4));
  }
  const [one, mean] = [Float32Array.of(1, 0, 0.25, 0.75), Float32Array.of(1, 0, 0.5, 0.5)];
  arrived.set("L1H2", one).set("L2.mean", mean);
  assert.equal(head(weights, L1H2), one);
  assert.equal(head(weights, MEAN), mean);
  assert.equal(isHere(weights, L1H2) && isHere(weights, MEAN), true);
  assert.equal(isHere(weights, { layer: 0, head: 0 }), false);
});

test("whole weights are here, those that a model has", () => {
  const weights = weightsOf(new Float32Array(16).fill(0.5), SIZE);
  assert.equal(isHere(weights, L1H2) && isHere(weights, MEAN), true);
  assert.equal(isHere(weights, { layer: 2, head: 0 }), false);
});

test("what was measured of a large trace's heads is what came with it", () => {
  const statistics = measureHeads(makeTrace());
  assert.equal(measureHeads({ ...makeTrace(), statistics }), statistics);
});
