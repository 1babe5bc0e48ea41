import assert from "node:assert/strict";
import test from "node:test";
import { canLearn, howText, parseHow, wasTaught } from "../../assets/trace/correction.js";
import { momentAt } from "../../assets/trace/history.js";
import { historyOfNoise, NOTHING_YET, withNews } from "../../assets/trace/noise.js";
import { costOf, labelsAt, mostSurprising, movedWeight, parseRun } from "../../assets/trace/run.js";
import { base64Of } from "../../assets/trace/unpack.js";

/** @type {(shape: number[], values: number[]) => import("../../assets/trace/unpack.js").PackedArray} */
function packed(shape, values) {
  const bytes = new Uint8Array(Float32Array.from(values).buffer);
  return { shape, dtype: "float32", data: base64Of(bytes) };
}

/** @type {(shape: number[], values: number[]) => import("../../assets/trace/unpack.js").PackedArray} */
function inBytes(shape, values) {
  return { shape, dtype: "uint8", data: base64Of(Uint8Array.from(values)) };
}

const RUN = parseRun({
  ...{ src: ["a", "</s>"], tgt_in: ["<s>", "x", "y"], tgt_out: ["x", "y", "</s>"] },
  counts: [false, true, true],
  losses: [2, 0.5, null],
  probabilities: packed([3, 3], [1, 0.25, 0.5, 1, 0.5, 0.125, 1, Number.NaN, 0]),
  likeliest: [
    ["x", "z", "</s>"],
    ["x", "y", "z"],
    ["x", "y", "z"],
  ],
  ...{ parts: ["encoder.embedding", "output"], shared: {} },
  gradients: packed([2, 2], [3, 4, 1, 0]),
  head_gradients: { cross: packed([2, 1, 2], [1, 2, 3, 4]) },
  ...{ outputs: ["z", "xy", ""], learnt: 1, undone: "not_a_number", rose: 2 },
  correction: { source: "a", target: "xy", how: "sgd-2-1", steps: 2, rate: 1, optimizer: "sgd" },
  film: { steps: [0, 2], weights: { cross: inBytes([2, 1, 1, 1, 2], [255, 0, 51, 204]) } },
  forgetting: {
    sentences: [
      { source: "a", before: "z", after: "xy" },
      { source: "b", before: "q", after: "q" },
      { source: "c", before: "q", after: "r" },
    ],
    ...{ examples: 2, changed: 2 },
  },
});

test("a label costs −ln p, before and now, and says what would be written instead", () => {
  const [given, second, last] = labelsAt(RUN, 1);
  assert.equal(given.counts, false);
  assert.equal(second.lossBefore.toFixed(3), "1.386");
  assert.equal(second.loss.toFixed(3), "0.693");
  assert.deepEqual([second.says, last.says], [undefined, "z"]);
  assert.equal(mostSurprising([given, second, last]), last);
});

test("what is no number any longer stays none", () => {
  assert(Number.isNaN(RUN.losses[2]));
  const [, second, last] = labelsAt(RUN, 2);
  assert(Number.isNaN(second.loss));
  assert.equal(last.loss, Number.POSITIVE_INFINITY);
});

test("a step's gradients are a row each, and a head's moved weight is a share", () => {
  assert.deepEqual([...RUN.gradients[1]], [1, 0]);
  assert.deepEqual([...(RUN.head_gradients.cross?.steps[1] ?? [])], [3, 4]);
  const [before, now] = [RUN.film.at(0).cross, RUN.film.at(1).cross];
  assert(before && now);
  assert.equal(movedWeight(before, now)[0][0].toFixed(2), "0.80");
  assert.deepEqual(
    [0, 1, 2].map((moment) => momentAt(RUN.film.steps, moment)),
    [0, 0, 1],
  );
});

test("what a correction cost leaves its own sentence out", () => {
  const { sentences, changed, examples } = costOf(RUN);
  assert.deepEqual([sentences.length, changed.length, examples], [2, 1, 1]);
});

test("a way to learn is written as the server reads it", () => {
  assert.equal(howText({ optimizer: "sgd", steps: 10, rate: 0.02 }), "sgd-10-0.02");
  assert.equal(howText({ optimizer: "adam", steps: 1, rate: 1 }), "adam-1-1");
  assert.equal(howText({ optimizer: "adam", steps: 5, rate: 3e-6 }), "adam-5-0.000003");
  assert.deepEqual(parseHow("sgd-50-1"), { optimizer: "sgd", steps: 50, rate: 1 });
  for (const text of ["sgd-51-0.1", "sgd-10", "sgd-10-2e-2", "sgd-10-0.0000001", "SGD-1-1", ""])
    assert.equal(parseHow(text), null, text);
  assert(!canLearn({ optimizer: "sgd", steps: 1.5, rate: 0.1 }));
  assert(!canLearn({ optimizer: "sgd", steps: 1, rate: 1e-7 }));
  assert(!canLearn({ optimizer: "sgd", steps: Number.NaN, rate: 0.1 }));
  assert(wasTaught({ checkpoint: "bf3ca3c0+e83e8acb" }));
  assert(!wasTaught({ checkpoint: "bf3ca3c0" }));
});

test("the toy's film grows by what is new, on the axis of its whole run", () => {
  const pair = { source: "ab", target: "ba", src: ["a", "b"], tgt_in: ["<s>"], tgt_out: ["b"] };
  /** @type {(step: number, weights: number[]) => import("../../assets/trace/noise.js").News} */
  const news = (step, weights) => ({
    ...{ done: false, steps: 600, pairs: [pair] },
    moments: [{ step, loss: 3, output: "", right: 0.25 }],
    weights: { cross: inBytes([1, 1, 1, 1, 2], weights) },
  });
  const film = [news(0, [128, 127]), news(1, [255, 0])].reduce(withNews, NOTHING_YET);
  const history = historyOfNoise(film);
  assert.deepEqual(history.steps, [0, 1]);
  assert.equal(history.end, 600);
  assert.deepEqual(history.sharp_from.cross, [[1]]);
  assert.equal(history.by_chance.cross, 0.5);
  assert.deepEqual(history.curve[1], { step: 1, train_loss: 3, right: 25 });
  assert.equal(history.at(1).cross?.data[0], 1);
});
