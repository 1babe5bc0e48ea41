import assert from "node:assert/strict";
import test from "node:test";
import { glossesShown } from "../../assets/trace/glosses.js";
import { looksOf, mostLooking } from "../../assets/trace/sentence.js";
import { makeTrace } from "./traces.js";

const HEAD = { layer: 0, head: 0 };

const SRC = ["He", "␣gave", "␣her", "␣a", "␣flow", "er", "</s>"];
const OUT = ["他", "给了", "她", "一朵", "花", "</s>"];
const GLOSSES = {
  src: ["他", null, "她", null, null, null, null],
  tgt: ["he", "gave", "her", "A", "flower", null],
};

/**
 * @param {number[]} row  of every row of cross-attention
 * @param {Partial<import("../../assets/trace/trace.js").Trace>} [given]
 */
function traceOf(row, given = {}) {
  const data = Float32Array.from(OUT.flatMap(() => row));
  const cross = { layers: 1, heads: 1, queries: OUT.length, keys: SRC.length, data };
  return makeTrace({
    ...{ src: SRC, tgt_out: OUT, tgt_in: ["<s>", ...OUT.slice(0, -1)], glosses: GLOSSES },
    weights: { cross },
    ...given,
  });
}

/** @param {import("../../assets/trace/sentence.js").Looks | null} looks */
const partsOf = (looks) => [looks?.form, looks?.words[0]?.label, looks?.relation ?? null];

test("a clear row names its word, and what the glosses say that the word is", () => {
  const onA = traceOf([0, 0, 0.02, 0.97, 0, 0, 0.01]);
  assert.deepEqual(partsOf(looksOf(onA, "cross", HEAD, 3)), ["one", "a", "source"]);
  assert.deepEqual(partsOf(looksOf(onA, "cross", HEAD, 4)), ["one", "a", "source_of_read"]);
  assert.deepEqual(partsOf(looksOf(onA, "cross", HEAD, 1)), ["one", "a", null]);
  const silent = traceOf([0, 0, 0.02, 0.97, 0, 0, 0.01], { glosses: null });
  assert.deepEqual(partsOf(looksOf(silent, "cross", HEAD, 3)), ["one", "a", null]);
});

test("a gloss of the source's side tells, too", () => {
  const onHer = traceOf([0, 0, 1, 0, 0, 0, 0], {
    glosses: { ...GLOSSES, tgt: OUT.map(() => null) },
  });
  assert.deepEqual(partsOf(looksOf(onHer, "cross", HEAD, 2)), ["one", "her", "source"]);
  assert.deepEqual(partsOf(looksOf(onHer, "cross", HEAD, 3)), ["one", "her", "source_of_read"]);
});

test("a word's pieces are added up", () => {
  const looks = looksOf(traceOf([0.1, 0.1, 0, 0, 0.3, 0.4, 0.1]), "cross", HEAD, 4);
  assert.deepEqual(partsOf(looks), ["two", "flower", null]);
  assert(Math.abs((looks?.words[0].weight ?? 0) - 0.7) < 1e-6);
});

test("two words are two, and what is spread is said to be", () => {
  const two = looksOf(traceOf([0.45, 0.4, 0.15, 0, 0, 0, 0]), "cross", HEAD, 0);
  assert.deepEqual([two?.form, two?.words[1].label], ["two", "gave"]);
  // However much the first has, another that counts is named, too.
  const most = looksOf(traceOf([0.53, 0.25, 0.19, 0.03, 0, 0, 0]), "cross", HEAD, 0);
  assert.deepEqual([most?.form, most?.count, most?.words[0].label], ["spread", 3, "He"]);
  // Of 0.3 + 0.2 + 0.2 + 0.15, 0.8 needs four.
  const spread = looksOf(traceOf([0.3, 0.2, 0.2, 0.15, 0.1, 0, 0.05]), "cross", HEAD, 0);
  assert.deepEqual([spread?.form, spread?.count, spread?.words[0].label], ["spread", 4, "He"]);
});

test("a head that is switched off looks at nothing, and of a maximum less can be said", () => {
  assert.equal(looksOf(traceOf(SRC.map(() => 0)), "cross", HEAD, 0)?.form, "off");
  const most = looksOf(
    traceOf([0.3, 0.2, 0.2, 0.1, 0.1, 0, 0.1]),
    "cross",
    { layer: "max", head: "max" },
    0,
  );
  assert.equal(most?.form, "most");
});

test("self-attention's word is told by its place", () => {
  const rows = [
    [1, 0, 0],
    [0.1, 0.9, 0],
    [0.1, 0.8, 0.1],
  ];
  const self = { layers: 1, heads: 1, queries: 3, keys: 3, data: Float32Array.from(rows.flat()) };
  const tokens = ["a", "␣b", "␣c"];
  const trace = makeTrace({
    ...{ src: tokens, tgt_in: ["<s>", "␣b", "␣c"], tgt_out: ["␣b", "␣c", "</s>"] },
    weights: { encoder_self: self, decoder_self: self },
  });
  const relations = (/** @type {"encoder_self" | "decoder_self"} */ kind) =>
    [0, 1, 2].map((query) => looksOf(trace, kind, HEAD, query)?.relation);
  assert.deepEqual(relations("encoder_self"), ["itself", "itself", "before"]);
  assert.deepEqual(relations("decoder_self"), ["only", "read", "before_read"]);
  assert.equal(looksOf(trace, "cross", HEAD, 0), null);
});

test("without its mask a decoder sees what comes later, its answer, too, and does not only look back", () => {
  const rows = [
    [0, 1, 0],
    [0.05, 0.05, 0.9],
    [0.9, 0.1, 0],
  ];
  const data = Float32Array.from(rows.flat());
  const tokens = { src: ["a"], tgt_in: ["<s>", "␣b", "␣c"], tgt_out: ["␣b", "␣c", "</s>"] };
  const looks = (/** @type {import("../../assets/trace/kinds.js").Causal} */ causal) => {
    const self = { layers: 1, heads: 1, queries: 3, keys: 3, data, causal };
    const trace = makeTrace({ ...tokens, weights: { decoder_self: self } });
    return [0, 1, 2].map((query) => looksOf(trace, "decoder_self", HEAD, query));
  };
  assert.deepEqual(
    looks(false).map((each) => [each?.relation, each?.ahead]),
    [
      ["answer", true],
      ["answer", true],
      [null, true],
    ],
  );
  const [first] = looks("inverted");
  assert.deepEqual([first?.relation, first?.ahead], ["answer", true]);
  assert.equal(looks(true)[1]?.ahead, false);
});

test("of a word that is pointed at, the row that looks at it most", () => {
  const data = Float32Array.of(0.2, 0.8, 0.7, 0.3, 0.9, 0.1);
  const weights = { layers: 1, heads: 1, queries: 3, keys: 2, data };
  const { query, weight } = mostLooking(weights, HEAD, [0], 1);
  assert.deepEqual([query, weight.toFixed(2)], [1, "0.70"], "of those that have been written");
});

test("glosses are shown in the page's language, of words in another", () => {
  const trace = { glosses: GLOSSES, src: SRC, tgt_out: OUT };
  const model = { source_language: "en", target_language: "zh" };
  const none = { src: null, tgt: null };
  assert.deepEqual(glossesShown(trace, model, "en"), { ...none, tgt: GLOSSES.tgt });
  assert.deepEqual(glossesShown(trace, model, "zh"), { ...none, src: GLOSSES.src });
  assert.deepEqual(glossesShown(trace, { ...model, target_language: "fr" }, "zh"), none);
  assert.deepEqual(glossesShown({ ...trace, glosses: null }, model, "en"), none);
});

test("a gloss that names a part of its token alone is marked", () => {
  const trace = {
    ...{ src: ["␣My", "␣father", "␣new"], tgt_out: ["我爸爸", "新"] },
    glosses: { src: [null, "爸爸", "新"], tgt: ["father", "new"] },
  };
  const model = { source_language: "en", target_language: "zh" };
  assert.deepEqual(glossesShown(trace, model, "en").tgt, ["…father", "new"]);
  assert.deepEqual(glossesShown(trace, model, "zh").src, [null, "爸爸", "新"]);
});

test("a sign within a word of its own meaning makes no part of it", () => {
  const trace = {
    ...{ src: ["车站"], tgt_out: ["␣station"], glosses: { src: ["station"], tgt: ["站"] } },
  };
  const model = { source_language: "zh", target_language: "en" };
  assert.deepEqual(glossesShown(trace, model, "en").src, ["station"]);
});

test("of a saved trace whose model nobody knows, the scripts tell what is foreign", () => {
  const trace = { glosses: GLOSSES, src: SRC, tgt_out: OUT };
  assert.deepEqual(glossesShown(trace, undefined, "en").tgt, GLOSSES.tgt);
  assert.deepEqual(glossesShown(trace, undefined, "en").src, null);
  assert.deepEqual(glossesShown(trace, undefined, "zh").src, GLOSSES.src);
});
