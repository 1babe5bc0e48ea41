import assert from "node:assert/strict";
import test from "node:test";
import { branchBeside } from "../../assets/state/beside.js";
import { alignTokens, difference, matches } from "../../assets/trace/comparison.js";
import { grow, trunk } from "../../assets/trace/tree.js";
import { makeTrace } from "./traces.js";

test("what both say shares a column, and what one says in the other's stead too", () => {
  const columns = alignTokens(["I", "like", "you", "."], ["I", "really", "love", "you", "."]);
  assert.deepEqual(
    columns.map(({ one, other, same }) => [one, other, same]),
    [
      [0, 0, true],
      [1, 1, false],
      [null, 2, false],
      [2, 3, true],
      [3, 4, true],
    ],
  );
  assert.deepEqual(matches(["a", "b"], ["b"]), [[1, 0]]);
  assert.deepEqual(alignTokens([], []), []);
});

test("weights are subtracted over the tokens that both have", () => {
  const one = makeTrace({ tgt_ids: [5, 6, 2] });
  const other = makeTrace({ tgt_ids: [5, 9, 6, 2] });
  const { cross } = other.weights;
  assert(cross);
  // Head L2H3, the row that emits 6 (its third), the source's second token.
  cross.data[((1 * 4 + 2) * 4 + 2) * 3 + 1] = 0.75;
  const matrix = difference(one, other, "cross", { layer: 1, head: 2 });
  assert(matrix);
  assert.deepEqual(matrix.rows, [
    [0, 0],
    [1, 2],
    [2, 3],
  ]);
  const expected = Math.fround(0.75) - Math.fround(1 / 3);
  assert.deepEqual(matrix.values, [
    [0, 0, 0],
    [0, expected, 0],
    [0, 0, 0],
  ]);
  const self = difference(one, other, "decoder_self", { layer: 0, head: 0 });
  assert.deepEqual(self?.columns, [
    [0, 0],
    [1, 1],
    [2, 3],
  ]);
});

test("models with other heads cannot be subtracted", () => {
  const small = makeTrace({}, { layers: 1 });
  assert.equal(difference(makeTrace(), small, "cross", { layer: 0, head: 0 }), null);
  const nothing = makeTrace({ src: ["x", "y", "z"] });
  assert.equal(difference(makeTrace(), nothing, "encoder_self", { layer: 0, head: 0 }), null);
});

test("beside what is shown stands the chosen branch, or another one, or what a changed model said before", () => {
  const trace = makeTrace();
  const tree = grow(grow([trunk(trace)], [5], makeTrace()), [6], makeTrace());
  const [, second, third] = tree;
  /** @type {any} */
  const state = { tree, trace, compared: null, question: { interventions: [] }, patient: null };
  assert.equal(branchBeside(state), second);
  assert.equal(branchBeside({ ...state, compared: third }), third);
  assert.equal(branchBeside({ ...state, trace: second.trace }), tree[0]);
  const changed = { ...state, question: { interventions: ["causal=off"] } };
  assert.equal(branchBeside(changed), null);
  assert.equal(branchBeside({ ...changed, compared: third }), third);
});
