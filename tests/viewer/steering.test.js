import assert from "node:assert/strict";
import test from "node:test";
import {
  aimsIn,
  candidatesBefore,
  isOnlySteered,
  piecesAt,
  steered,
  turnOf,
  wordsAt,
} from "../../assets/trace/steering.js";

const SIZE = { layers: 3, heads: 8 };
const SRC = ["␣a", "␣flow", "er", "</s>"];
const ALL = { kind: /** @type {const} */ ("cross"), layer: null, head: null, row: 3 };
const TOKENS = { src: SRC, tgt_in: ["<s>", "花"], tgt_out: ["花", "</s>"] };

test("a step that is led elsewhere forgets where it was led before, whichever heads were", () => {
  const there = steered(["cross.L1H1=zero"], { ...ALL, keys: [1, 2] }, SIZE);
  assert.deepEqual(there, ["cross.L1H1=zero", "cross@4=aim:2,3"]);
  const one = steered(there, { ...ALL, layer: 1, head: 4, keys: [0] }, SIZE);
  assert.deepEqual(one, ["cross.L1H1=zero", "cross.L2H5@4=aim:1"]);
  assert.deepEqual(steered(one, { ...ALL, row: 0, keys: [0] }, SIZE).length, 3, "another step");
  assert.deepEqual(steered(one, { ...ALL, keys: [] }, SIZE), ["cross.L1H1=zero"]);
  const look = steered(one, { ...ALL, kind: "decoder_self", keys: [0] }, SIZE);
  assert.deepEqual(look.slice(0, 1), ["decoder_self@4=aim:1"], "another kind");
  assert.equal(look.length, 3);
});

test("the beam tells what it was made to do, and nothing else", () => {
  assert.deepEqual(aimsIn(["cross.L2H5@4=aim:1", "cross@4=zero", "decoder_self@4=aim:1"]), [
    { ...ALL, layer: 1, head: 4, keys: [0] },
    { ...ALL, kind: "decoder_self", keys: [0] },
  ]);
  assert(isOnlySteered(["cross@2=aim:1"], TOKENS));
  assert(!isOnlySteered(["cross@3=aim:1"], TOKENS), "there is no such step");
  assert(isOnlySteered(["encoder_self@4=aim:1"], TOKENS), "a source token");
  assert(!isOnlySteered(["cross@2=aim:1", "causal=off"], TOKENS));
});

test("a word is all of its pieces, and what marks the end is one of its own", () => {
  assert.deepEqual(
    [1, 2, 3].map((at) => piecesAt(SRC, at)),
    [[1, 2], [1, 2], [3]],
  );
  assert.equal(wordsAt(SRC, [0, 1, 2]), "a flower");
  assert.equal(wordsAt(SRC, [3]), "</s>");
});

const SAYS = (/** @type {[number, number][]} */ ...all) =>
  all.map(([id, probability]) => ({ token: String(id), id, probability }));

test("what a step says is set against what it said", () => {
  const turned = turnOf(SAYS([7, 0.51], [5, 0.2]), SAYS([5, 0.56], [7, 0.01]));
  assert.deepEqual([turned.same, turned.now.id, turned.before?.id], [false, 7, 5]);
  assert.equal(turnOf(SAYS([5, 0.5]), SAYS([5, 0.56])).same, true);
  assert.equal(turnOf(SAYS([5, 0.5]), null).before, null);
});

test("what was said before counts only after the same text", () => {
  const candidates = [SAYS([5, 0.9]), SAYS([6, 0.8])];
  const before = { tgt_ids: [5, 6], candidates };
  assert.equal(candidatesBefore({ tgt_ids: [5, 9] }, before, 1), candidates[1]);
  assert.equal(candidatesBefore({ tgt_ids: [9, 6] }, before, 1), null);
  assert.equal(candidatesBefore({ tgt_ids: [5, 6, 7] }, before, 2), null);
  assert.equal(candidatesBefore({ tgt_ids: [5, 9] }, null, 0), null);
});
