import assert from "node:assert/strict";
import test from "node:test";
import { BUGS } from "../../assets/lessons/bugs.js";
import { EXERCISES } from "../../assets/lessons/exercises.js";
import { JUDGES } from "../../assets/lessons/judges.js";
import { copies, halves, meanEntropy, SIGNS, swapDistance } from "../../assets/lessons/signs.js";
import { isExaminable, isWrong, PATIENTS, shownChanges } from "../../assets/state/patients.js";
import { LESSONS } from "../../assets/state/state.js";
import { grow, trunk } from "../../assets/trace/tree.js";
import { makeTrace } from "./traces.js";

/** @typedef {import("../../assets/lessons/judges.js").Seen} Seen */
/** @typedef {import("../../assets/lessons/stop.js").Verdict} Verdict */
/** @typedef {import("../../assets/trace/trace.js").Trace} Trace */

/**
 * @param {keyof typeof JUDGES} name
 * @param {Trace} trace
 * @param {Partial<Seen>} [given]
 * @returns {Verdict | null}
 */
function judged(name, trace, given = {}) {
  const nothing = { trace, before: null, earlier: null, picked: null, tree: [trunk(trace)] };
  return JUDGES[name]({ ...nothing, kind: "cross", heads: {}, ...given }, trace);
}

/** @type {(given: Partial<Trace>, moved: number) => Trace} */
function withProbability(given, moved) {
  const trace = makeTrace(given);
  const candidates = trace.candidates.map(([first, ...others]) => [
    { ...first, probability: 0.9 * Math.exp(-moved) },
    ...others,
  ]);
  return { ...trace, candidates };
}

/** A head of a kind that looks at one key of each row. @type {(trace: Trace, kind: import("../../assets/trace/kinds.js").Kind, keys: number[]) => Trace} */
function sharpened(trace, kind, keys) {
  const weights = trace.weights[kind];
  assert(weights);
  const data = weights.data.slice();
  const start = 5 * weights.queries * weights.keys; // L2H2
  for (const [row, key] of keys.entries())
    for (let at = 0; at < weights.keys; at++)
      data[start + row * weights.keys + at] = at === key ? 1 : 0;
  return { ...trace, weights: { ...trace.weights, [kind]: { ...weights, data } } };
}

const SHARP = { layer: 1, head: 1 };
const EVEN = { layer: 0, head: 0 };

test("there are as many exercises and patients as the page counts, and no two bugs are one", () => {
  assert.equal(EXERCISES.length, LESSONS.exercise);
  assert.equal(PATIENTS.length, LESSONS.clinic);
  assert.deepEqual(PATIENTS.map(({ bug }) => bug).sort(), BUGS.map(({ name }) => name).sort());
});

test("a head aligns whose rows cover the source; the rest are told how far they are", () => {
  const trace = sharpened(makeTrace(), "cross", [0, 1, 2]);
  const verdict = judged("aligns", trace, { heads: { cross: SHARP } });
  assert.deepEqual([verdict?.outcome, verdict?.values?.score], ["met", "1.00"]);
  const other = judged("aligns", trace, { heads: { cross: EVEN } });
  assert.deepEqual(other, {
    outcome: "near",
    values: { head: "L1H1", score: "0.33", best: "1.00" },
  });
  // All rows on one word cover nothing else.
  const column = sharpened(trace, "cross", [0, 0, 0]);
  assert.equal(judged("aligns", column, { heads: { cross: SHARP } })?.values?.score, "0.50");
  assert.equal(
    judged("aligns", trace, { heads: { cross: { layer: "mean", head: "mean" } } }),
    null,
  );
  assert.equal(judged("aligns", trace, { kind: "encoder_self", heads: { cross: SHARP } }), null);
});

test("looking back is judged against chance", () => {
  const trace = sharpened(makeTrace(), "encoder_self", [0, 0, 1]);
  const kind = "encoder_self";
  const sharp = judged("looks_back", trace, { kind, heads: { encoder_self: SHARP } });
  assert.deepEqual(
    [sharp?.outcome, sharp?.values?.weight, sharp?.values?.chance],
    ["met", "1.00", "0.33"],
  );
  const even = judged("looks_back", trace, { kind, heads: { encoder_self: EVEN } });
  assert.equal(even?.outcome, "near");
  const none = judged("looks_back", makeTrace(), { kind, heads: { encoder_self: EVEN } });
  assert.equal(none?.outcome, "none");
  const cross = judged("looks_back", trace, { kind: "cross", heads: { cross: SHARP } });
  assert.equal(cross?.outcome, "kind");
});

test("a head rests on </s> of the source, or on the decoder's <s>", () => {
  const trace = sharpened(sharpened(makeTrace(), "cross", [2, 2, 2]), "decoder_self", [0, 0, 0]);
  const cross = judged("rests", trace, { heads: { cross: SHARP } });
  assert.deepEqual([cross?.outcome, cross?.values?.token], ["met", "</s>"]);
  const decoder = judged("rests", trace, { kind: "decoder_self", heads: { decoder_self: SHARP } });
  assert.deepEqual([decoder?.outcome, decoder?.values?.token], ["met", "<s>"]);
  assert.equal(judged("rests", trace, { heads: { cross: EVEN } })?.outcome, "near");
});

test("a masked cell stands for padding, a small weight does not", () => {
  const cell = { kind: /** @type {const} */ ("decoder_self"), ...SHARP, query: 0 };
  assert.equal(judged("padding", makeTrace(), { picked: { ...cell, key: 2 } })?.outcome, "met");
  assert.equal(judged("padding", makeTrace(), { picked: { ...cell, key: 0 } })?.outcome, "near");
  const cross = { ...cell, kind: /** @type {const} */ ("cross"), key: 2 };
  assert.equal(judged("padding", makeTrace(), { picked: cross })?.outcome, "near");
});

test("one head that does nothing, or one that is missed", () => {
  const before = makeTrace();
  const off = ["cross.L2H4=zero"];
  const quiet = withProbability({ interventions: off }, 0.04);
  const loud = withProbability({ interventions: off }, 0.06);
  const other = makeTrace({ interventions: off, tgt_ids: [5, 7, 2], translation: "我恨" });
  assert.deepEqual(
    [quiet, loud, other].map((trace) => judged("nothing", trace, { before })?.outcome),
    ["met", "near", "words"],
  );
  assert.deepEqual(
    [quiet, other].map((trace) => judged("breaks", trace, { before })?.outcome),
    ["near", "met"],
  );
  for (const interventions of [["cross.L2=zero"], ["cross.L2H4=uniform"], [...off, "scale=off"]])
    assert.equal(judged("breaks", makeTrace({ interventions }), { before })?.outcome, "one_head");
  assert.equal(judged("breaks", before), null);
  assert.equal(judged("breaks", other), null, "what it was before is on its way");
});

test("two texts differ in one token and one row", () => {
  const earlier = makeTrace();
  /** @type {(given: Partial<Trace>) => string | undefined} */
  const outcome = (given) => judged("one_row", makeTrace(given), { earlier })?.outcome;
  const src = ["You", "␣love", "</s>"];
  assert.equal(outcome({ src, tgt_ids: [7, 6, 2] }), "met");
  assert.equal(outcome({ src, tgt_ids: [7, 8, 2] }), "target");
  assert.equal(outcome({ src }), "target");
  assert.equal(outcome({ src, tgt_ids: [7, 2] }), "rows");
  assert.equal(outcome({ src: ["You", "␣hate", "</s>"] }), "source");
  assert.equal(outcome({ src: ["You", "</s>"] }), "length");
  assert.equal(outcome({ src, interventions: ["causal=off"] }), undefined);
  assert.equal(judged("one_row", makeTrace({ src })), null, "there is no first text yet");
});

test("another beginning is a branch at the first step", () => {
  const [first, later] = [makeTrace({ tgt_ids: [7, 6, 2] }), makeTrace({ tgt_ids: [5, 7, 2] })];
  const root = makeTrace();
  const at = (/** @type {Trace} */ trace, /** @type {number[]} */ prefix) =>
    judged("branch", trace, { tree: grow([trunk(root)], prefix, trace) });
  assert.equal(at(first, [7])?.outcome, "met");
  assert.deepEqual(at(later, [5, 7])?.values, { step: 2 });
  assert.equal(judged("branch", root), null);
});

test("a hidden word is guessed that stands first, all its pieces, and whatever was typed there", () => {
  const guess = (/** @type {number} */ id, /** @type {number} */ probability) => ({
    ...{ token: `t${id}`, id, probability },
  });
  const candidates = [[], [guess(7, 0.6), guess(8, 0.2)], [guess(9, 0.5)]];
  /** @type {(...hidden: [at: number, id: number][]) => Verdict | null} */
  const outcome = (...hidden) =>
    judged(
      "guessed",
      makeTrace({
        candidates,
        hidden: hidden.map(([at, id]) => ({ at, id, token: `typed ${id}` })),
      }),
    );
  assert.equal(outcome(), null, "nothing is hidden yet");
  assert.deepEqual(outcome([1, 7]), {
    ...{ outcome: "met", values: { token: "typed 7", guess: "t7", probability: "0.60" } },
  });
  assert.deepEqual(outcome([1, 8])?.outcome, "near");
  assert.equal(outcome([1, 7], [2, 9])?.outcome, "met");
  assert.deepEqual(outcome([1, 7], [2, 4])?.values?.token, "typed 4");
});

test("an induction head gives what followed an earlier copy clearly more than chance", () => {
  /** @type {(tokens: string[], keys: number[]) => Trace} */
  const alone = (tgt_in, keys) => {
    const size = tgt_in.length;
    const data = Float32Array.from({ length: 2 * size * size }, (_, i) => {
      const [head, row, key] = [Math.floor(i / size / size), Math.floor(i / size) % size, i % size];
      if (head === 0) return key <= row ? 1 / (row + 1) : 0;
      return key === keys[row] ? 1 : 0;
    });
    const decoder_self = { layers: 1, heads: 2, queries: size, keys: size, data };
    return makeTrace({ tgt_in, tgt_ids: keys, src: [], weights: { decoder_self } });
  };
  /** @type {(trace: Trace, head: number) => Verdict | null} */
  const chosen = (trace, head) =>
    judged("induction", trace, { heads: { decoder_self: { layer: 0, head } } });
  const twice = alone(["<s>", ..."abcdabcd"], [0, 0, 0, 0, 0, 2, 3, 4, 5]);
  // The row of the second a, say, may see six tokens: by chance, the first b has a sixth.
  const chance = ((1 / 6 + 1 / 7 + 1 / 8 + 1 / 9) / 4).toFixed(2);
  assert.deepEqual(chosen(twice, 1), {
    ...{ outcome: "met", values: { head: "L1H2", weight: "1.00", chance, best: "1.00" } },
  });
  assert.equal(chosen(twice, 0)?.outcome, "near");
  const rests = alone(twice.tgt_in, Array(9).fill(0));
  assert.deepEqual(
    [0, 1].map((head) => chosen(rests, head)?.outcome),
    ["none", "none"],
  );
  const once = alone(["<s>", ..."abcdefgh"], [0, 0, 0, 0, 0, 2, 3, 4, 5]);
  assert.equal(chosen(once, 1)?.outcome, "none", "nothing comes again");
  assert.equal(judged("induction", twice), null);
});

test("a model without an encoder is sent to a translator where there is nothing to judge", () => {
  const { decoder_self } = makeTrace().weights;
  const alone = makeTrace({ src: [], weights: { decoder_self } });
  for (const name of /** @type {const} */ (["aligns", "one_row"]))
    assert.equal(judged(name, alone)?.outcome, "no_encoder");
});

test("what is wrong with a patient is not told before it is diagnosed, nor can it be put back", () => {
  const trace = makeTrace({ interventions: ["causal=off", "cross.L1H1=zero"] });
  const at = PATIENTS.findIndex(({ bug }) => bug === "causal");
  const patient = {
    at,
    healthy: trace,
    question: { model: "", source: "", sampling: null, interventions: [], taught: null },
  };
  assert.deepEqual(shownChanges({ trace, patient, solved: [] }), ["cross.L1H1=zero"]);
  assert.deepEqual(shownChanges({ trace, patient, solved: [`c${at + 1}`] }), trace.interventions);
  assert.deepEqual(shownChanges({ trace, patient: null, solved: [] }), trace.interventions);
  assert(isWrong(patient, "causal=off"));
  assert(!isWrong(null, "causal=off"));
});

test("a patient takes letters and digits among which an order can be told", () => {
  assert.deepEqual(
    ["headlight", " abc ", "aaab", "ab", "aaa", "I love you.", "我爱你", "a".repeat(17)].map(
      isExaminable,
    ),
    [true, true, true, false, false, false, false, false],
  );
});

test("masks are told by where weight lies, and copies by what is likeliest", () => {
  const even = makeTrace(); // of a mask that was taken away
  const context = /** @type {any} */ (null);
  const { above, below } = halves(even.weights.decoder_self);
  assert(Math.abs(above - 1 / 3) < 1e-6 && Math.abs(below - 1 / 3) < 1e-6);
  const upper = sharpenedAll(even, [1, 2, 2]);
  const isPresent = (
    /** @type {"causal" | "inverted" | "unshifted"} */ bug,
    /** @type {Trace} */ trace,
  ) => /** @type {Verdict} */ (SIGNS[bug]({ context, healthy: even }, trace)).outcome === "met";
  assert.deepEqual([isPresent("causal", even), isPresent("inverted", even)], [true, false]);
  assert.deepEqual([isPresent("causal", upper), isPresent("inverted", upper)], [false, true]);
  const copied = makeTrace();
  copied.candidates = [5, 5, 6].map((id) => [{ token: String(id), id, probability: 0.9 }]);
  assert.deepEqual([copies(copied), copies(even)], [2, 0]);
  assert.deepEqual([isPresent("unshifted", copied), isPresent("unshifted", even)], [true, false]);
});

test("entropy and the distance after a swap", () => {
  const even = makeTrace();
  assert(Math.abs(meanEntropy(even) - Math.log(3)) < 1e-6);
  const one = sharpened(even, "encoder_self", [1, 0, 2]);
  const other = sharpened(even, "encoder_self", [2, 1, 0]);
  assert.equal(swapDistance(one, other, 1, 2), 0, "the weights went along");
  assert.equal(swapDistance(one, one, 1, 2), 1);
});

/** @type {(trace: Trace, keys: number[]) => Trace} */
function sharpenedAll(trace, keys) {
  const weights = trace.weights.decoder_self;
  assert(weights);
  const data = Float32Array.from(weights.data, (_, i) =>
    keys[Math.floor(i / weights.keys) % weights.queries] === i % weights.keys ? 1 : 0,
  );
  return { ...trace, weights: { ...trace.weights, decoder_self: { ...weights, data } } };
}
