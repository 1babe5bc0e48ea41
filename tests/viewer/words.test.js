import assert from "node:assert/strict";
import test from "node:test";
import { scaleOf } from "../../assets/draw/scale.js";
import { sharpHeads } from "../../assets/questions/training/telling.js";
import { askWords, knownWords } from "../../assets/questions/why/readings.js";
import {
  beginningOf,
  momentAt,
  momentNear,
  namedSteps,
  parseHistory,
  placeOf,
} from "../../assets/trace/history.js";
import { wordsIn } from "../../assets/trace/whole_words.js";
import {
  agreement,
  alignWords,
  atUnits,
  byUnit,
  lostWithout,
  rowOf,
  unitsOf,
} from "../../assets/trace/words.js";
import { makeTrace } from "./traces.js";

/** @param {number[][]} rows */
function numbers(rows) {
  return { rows: rows.length, columns: rows[0].length, values: Float32Array.from(rows.flat()) };
}

const SRC = { words: ["The", "salty"], pieces: [[0], [1, 2]] };
const TOKENS = ["␣The", "␣sal", "ty", "</s>"];

test("pieces are added up to words, and what is no word stands for itself", () => {
  const units = unitsOf(SRC, TOKENS);
  assert.deepEqual(
    units.map(({ label, word }) => [label, word]),
    [
      ["The", 0],
      ["salty", 1],
      ["</s>", null],
    ],
  );
  assert.deepEqual([...byUnit(numbers([[1, 2, 3, 4]]), units).values], [1, 5, 4]);
  assert.deepEqual([...atUnits(numbers([[-1, 7]]), units).values], [-1, 7, Number.NaN]);
  assert.deepEqual([...rowOf(numbers([[1], [2]]), 1)], [2]);
});

test("readings are compared on the words that matter, and on the first of them", () => {
  const alike = agreement([0.7, 0.2, 0.1], [-3, -1, 0.2]);
  assert.deepEqual(alike, { first: true, shared: 2, of: 2, rest: 0.2, alike: true });
  const apart = agreement([0.1, 0.2, 0.7], [-3, -1, 0.2]);
  assert.deepEqual([apart?.first, apart?.shared, apart?.alike], [false, 1, false]);
  assert.equal(agreement([0.1, 0.2, 0.7], [-0.05, 0.01, 0.02]), null, "no word matters");
  assert.equal(agreement([0.1, 0.2], [5, 6]), null, "no word speaks for the token");
  // One word decides; the others, near zero, stand in any order: that is no disagreement.
  const noise = agreement([0.9, 0.01, 0.02, 0.03, 0.04], [-9, -0.08, -0.06, -0.04, -0.02]);
  assert.deepEqual([noise?.alike, noise?.of, noise?.rest], [true, 1, 0.08]);
});

test("what is lost without a word is above 0 where it spoke for the token", () => {
  assert.deepEqual([...lostWithout(numbers([[-3, 0.5]])).values], [3, -0.5]);
});

test("each target word is linked to the source word that its row attends to most", () => {
  const weights = numbers([
    [0.9, 0.05, 0.05, 0],
    [0.1, 0.3, 0.4, 0.2],
    [0.2, 0.2, 0.2, 0.4],
  ]);
  const tgt = { words: ["汤", "咸"], pieces: [[0], [1]] };
  const predicts = alignWords(weights, SRC, tgt, "predicts");
  assert.deepEqual(predicts.links, [0, 1]);
  assert(Math.abs(predicts.numbers.values[3] - 0.7) < 1e-6);
  const reads = alignWords(weights, SRC, tgt, "reads");
  assert.deepEqual(reads.links, [1, 1]);
  assert(Math.abs(reads.numbers.values[2] - 0.2) < 1e-6);
  // What was emitted last has not been read.
  const last = alignWords(weights, SRC, { words: ["咸"], pieces: [[2]] }, "reads");
  assert.deepEqual([last.links, last.words], [[], []]);
});

test("a scale is as far below 0 as above, if anything lies below", () => {
  assert.deepEqual(scaleOf(numbers([[0.2, Number.NaN]])), {
    signed: false,
    most: Math.fround(0.2),
  });
  assert.deepEqual(scaleOf(numbers([[-3, 1]])), { signed: true, most: 3 });
});

const HISTORY = {
  ...{ steps: [0, 10, 100], pairs: [], curve: [], sharp_from: {}, sharp_at_first: 0, heads: 2 },
  starts_with_structure: false,
  sharpness: { cross: [[[0.5, 0.8]], [[0.75, 0.7]], [[0.9, 1]]] },
  by_chance: { cross: 0.5 },
  weights: {
    cross: {
      shape: [3, 1, 2, 1, 2],
      dtype: "uint8",
      data: btoa(String.fromCharCode(255, 0, 51, 204, 0, 255, 1, 254, 2, 253, 102, 153)),
    },
  },
};

test("a history's weights are those of the moment, as fine as a byte is", () => {
  const history = parseHistory(HISTORY);
  const { cross } = history.at(2);
  assert.deepEqual([cross?.layers, cross?.heads, cross?.queries, cross?.keys], [1, 2, 1, 2]);
  assert.deepEqual(
    [...(cross?.data ?? [])].map((x) => Math.round(255 * x)),
    [2, 253, 102, 153],
  );
  assert.equal(history.at(2), history.at(2), "unpacked once");
  assert.deepEqual(sharpHeads(history, 1), { sharp: 1, count: 2 });
});

test("a training step is shown by the nearest moment, and the curve stands between moments", () => {
  const history = parseHistory(HISTORY);
  const { steps } = history;
  assert.deepEqual(
    [null, 0, 4, 6, 1e6].map((step) => momentAt(steps, step)),
    [2, 0, 0, 1, 2],
  );
  // Steps 0, 10 and 100, on the axis of log(1 + step).
  assert.deepEqual(
    [0, 10, 100, 900].map((step) => placeOf(history, step).toFixed(4)),
    ["0.0000", "0.5196", "1.0000", "1.0000"],
  );
  assert.equal(placeOf({ steps: [7], end: 7 }, 7), 0);
  // Step 10 lies at 0.52 of that axis.
  assert.deepEqual(
    [0, 0.25, 0.27, 0.75, 0.77, 1].map((place) =>
      momentNear({ steps: [0, 10, 100], end: 100 }, place),
    ),
    [0, 0, 1, 1, 2, 2],
  );
  assert.deepEqual(namedSteps(history), [0, 1, 10, 100]);
  assert.deepEqual(
    namedSteps({ steps: [400, 1000], end: 1050 }),
    [400, 1050],
    "no two names on one another",
  );
});

test("a reading asks for nothing that the trace tells itself", async () => {
  /** @type {string[]} */
  const names = [];
  /** @type {any} */
  const about = {
    inside(/** @type {string} */ name) {
      names.push(name);
      return Promise.reject(new Error("that is all"));
    },
  };
  const here = { trace: makeTrace(), models: [], lacking: /** @type {string[]} */ ([]) };
  await assert.rejects(askWords(about, here, "attention", "cross"));
  assert.deepEqual(names, ["leave_one_out", "contributions"]);
  await assert.rejects(askWords(about, here, "value_norms", "cross"));
  assert.deepEqual(names.slice(2), ["leave_one_out", "contributions", "value_norms"]);
  // Of a guest no contributions are told: it is read without.
  await assert.rejects(
    askWords(about, { ...here, lacking: ["contributions"] }, "attention", "cross"),
  );
  assert.deepEqual(names.slice(5), ["leave_one_out"]);
});

test("attention can be read where nothing can be asked", () => {
  const trace = makeTrace();
  const attention = knownWords(trace, "attention", {}, null);
  assert.deepEqual(attention?.words.words, ["I", "love"]);
  assert.deepEqual([attention?.deltas, attention?.fromSource], [null, null]);
  assert.equal(attention?.numbers.values.length, 9);
  assert.equal(knownWords(trace, "contributions", {}, null), null);
  assert.equal(knownWords(trace, "leave_one_out", {}, null), null);
});

test("labels of another model that mark no word's start are words each, and ours are as they were", () => {
  const tokens = ["The", "keys", "to", "the", "old", "cabinet", "are", "on", "it"];
  const alone = tokens.map((_, i) => [i]);
  assert.deepEqual(wordsIn({ words: {} }, tokens, "tgt").pieces, alone);
  assert.deepEqual(wordsIn({}, tokens, "tgt").pieces, [[0, 1, 2, 3, 4, 5, 6, 7, 8]]);
  const parts = { tgt: tokens.map((_, i) => (i ? 0 : -1)) };
  assert.deepEqual(wordsIn({ words: {}, parts }, tokens, "tgt").pieces, alone.slice(1));
  assert.deepEqual(wordsIn({ words: {} }, ["un", "com", "mon"], "tgt").pieces, [[0, 1, 2]]);
});

test("a film begins at noise, with structure that was given, or later", () => {
  /** @type {(steps: number[], starts_with_structure?: boolean) => string} */
  const beginning = (steps, starts_with_structure = false) =>
    beginningOf({ steps, starts_with_structure });
  assert.deepEqual(
    [beginning([0, 10]), beginning([400, 1000]), beginning([0, 10], true)],
    ["noise", "later", "structure"],
  );
});
