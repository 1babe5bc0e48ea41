import assert from "node:assert/strict";
import test from "node:test";
import {
  branchWith,
  differences,
  forkStep,
  grow,
  inOrder,
  isForced,
  isGiven,
  pathTo,
  promptLength,
  prune,
  trunk,
} from "../../assets/trace/tree.js";
import { makeTrace } from "./traces.js";

/** @type {(tree: import("../../assets/trace/tree.js").Branch[], prefix: number[], ids: number[]) => import("../../assets/trace/tree.js").Branch[]} */
function growTo(tree, prefix, ids) {
  return grow(tree, prefix, makeTrace({ tgt_ids: ids, prefix_length: prefix.length }));
}

/** The trunk, a branch of it, a branch of that branch, and another of the trunk. */
function grown() {
  let tree = [trunk(makeTrace({ tgt_ids: [5, 6, 7, 2] }))];
  tree = growTo(tree, [5, 8], [5, 8, 9, 2]);
  tree = growTo(tree, [5, 8, 4], [5, 8, 4, 2]);
  return growTo(tree, [3], [3, 2]);
}

const numbers = (/** @type {{number: number}[]} */ branches) =>
  branches.map(({ number }) => number);

test("a branch forks from the one that it has most in common with", () => {
  const tree = grown();
  assert.deepEqual(
    tree.map(({ forkedFrom }) => forkedFrom?.number),
    [undefined, 0, 1, 0],
  );
  assert.deepEqual(tree.map(forkStep), [0, 1, 2, 0]);
  assert.deepEqual(numbers(pathTo(tree[2])), [0, 1, 2]);
  assert.deepEqual(numbers(inOrder(tree)), [0, 1, 2, 3]);
});

test("a pruned branch takes those along that forked from it, and its number with it", () => {
  const tree = grown();
  const left = prune(tree, tree[1]);
  assert.deepEqual(numbers(left), [0, 3]);
  assert.deepEqual(numbers(growTo(left, [5, 9], [5, 9, 2])), [0, 3, 4]);
});

test("choosing what a branch says anyway is that branch", () => {
  const tree = grown();
  const numberOf = (/** @type {number[]} */ prefix) => branchWith(tree, prefix)?.number;
  assert.equal(numberOf([]), 0);
  assert.equal(numberOf([5, 6]), 0);
  assert.equal(numberOf([5, 8]), 1);
  assert.equal(numberOf([5, 8, 9]), 1);
  assert.equal(numberOf([5, 8, 4]), 2);
  assert.equal(numberOf([3]), 3);
  assert.equal(numberOf([4]), undefined);
});

test("what was forced but the model would have said itself is not given", () => {
  const [root, branch] = grown();
  assert.equal(isGiven([root, branch], root.trace, 0), false);
  const chosen = branch.trace.candidates.map((row, step) => ({ row, step }));
  assert.equal(chosen.length, 4);
  // The branch's own candidates name its tokens first: as if the model had said them.
  assert.equal(isGiven([root, branch], branch.trace, 1), false);
  branch.trace.candidates[1] = [{ token: "6", id: 6, probability: 0.9 }];
  assert.equal(isGiven([root, branch], branch.trace, 1), true);
  assert.equal(isGiven([root, branch], branch.trace, 2), false);
});

test("of a drawn text, the tokens are given at which somebody branched", () => {
  const sampling = { temperature: 1, top_k: 0, seed: 1 };
  const root = trunk(makeTrace({ tgt_ids: [5, 6, 7, 2], sampling }));
  const trace = makeTrace({ tgt_ids: [5, 8, 9, 2], prefix_length: 2, sampling });
  const tree = grow([root], [5, 8], trace);
  assert.deepEqual(
    [0, 1, 2].map((step) => isGiven(tree, trace, step)),
    [false, true, false],
  );
});

test("a decoder-only model's prompt is given, and no part of a branch's prefix", () => {
  const tree = [trunk(makeTrace({ src: [], tgt_ids: [5, 6, 7, 2], prefix_length: 2 }))];
  assert.equal(promptLength(tree), 2);
  assert.deepEqual(
    [0, 1, 2].map((step) => isGiven(tree, tree[0].trace, step)),
    [true, true, false],
  );
  assert.equal(branchWith(tree, [7])?.number, 0);
  assert.equal(branchWith(tree, [5]), undefined);
  assert.equal(promptLength(grown()), 0);
});

test("two texts differ in what is in no longest common subsequence", () => {
  const different = (/** @type {number[]} */ one, /** @type {number[]} */ other) =>
    differences(one, other).map((set) => [...set]);
  assert.deepEqual(different([1, 2, 3], [1, 2, 3]), [[], []]);
  assert.deepEqual(different([1, 2, 3], [1, 9, 2, 3]), [[], [1]]);
  assert.deepEqual(different([1, 2], [3, 4]), [
    [0, 1],
    [0, 1],
  ]);
  assert.deepEqual(different([], [1]), [[], [0]]);
});

test("what another model wrote is given, wherever the one that is shown would write something else", () => {
  for (const change of ["causal=off", "causal=inverted", "heads=mixed"]) {
    const trace = makeTrace({ interventions: ["cross.L1=zero", change] });
    trace.candidates[1] = [{ token: "9", id: 9, probability: 0.6 }];
    const tree = [trunk(trace)];
    assert.deepEqual(
      [0, 1, 2].map((step) => isGiven(tree, trace, step)),
      [false, true, false],
      change,
    );
  }
  assert(isForced(makeTrace({ prefix_length: 3 })), "a patient, over what the healthy one wrote");
  assert(!isForced(makeTrace({ prefix_length: 2, interventions: ["scale=off"] })));
});
