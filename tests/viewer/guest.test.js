/** What guests alone are asked: in an address, and in a text whose tokens make way for others. */

import assert from "node:assert/strict";
import test from "node:test";
import { EXERCISES } from "../../assets/lessons/exercises.js";
import { addressFor, suits } from "../../assets/lessons/stop.js";
import { TOUR } from "../../assets/lessons/tour_stops.js";
import { whyNot } from "../../assets/parts/needs.js";
import { PARAMETERS } from "../../assets/state/address/parameters.js";
import { readQuestion, writeQuestion } from "../../assets/state/address/question.js";
import { partOf } from "../../assets/state/of_guest.js";
import { spansOf, withToken } from "../../assets/trace/hidden.js";
import { judgedAt, judgedOf } from "../../assets/trace/judged.js";
import { PROTOCOL } from "../../assets/trace/protocol.js";
import { piecesAt, wordsAt } from "../../assets/trace/steering.js";

import { makeTrace } from "./traces.js";

/** @type {any} */
const GUEST = { name: "my-bert", title: {}, examples: ["A cat."], guest: { form: "encoder" } };
/** @type {any} */
const OURS = { name: "en-zh", title: {}, examples: ["I love you."], decoder_only: false };
/** @type {any} */
const STATE = { models: [GUEST, OURS], model: "en-zh", language: "en" };

/** @param {string} query */
const read = (query) => readQuestion(new URLSearchParams(query), STATE);

test("hidden tokens, a language, a chat and a second text go into an address and come back", () => {
  const ofGuest = partOf({
    ...{ hidden: [2, 4], target_language: "fra_Latn", chat: true },
    second: "It slept & purred.",
  });
  const { question } = read("model=my-bert&source=A cat sat.");
  const parts = writeQuestion({ ...question, ...ofGuest }, []);
  assert.deepEqual(parts.slice(2), [
    ["hidden", "3-5"],
    ["language", "fra_Latn"],
    ["chat", "on"],
    ["second", "It slept & purred."],
  ]);
  const again = read(new URLSearchParams(parts).toString());
  assert.deepEqual(again.question, { ...question, ...ofGuest });
  assert.deepEqual(again.ignored, []);
});

test("an address has a second text as long as the server takes", () => {
  const most = Number(PROTOCOL.requests.trace.fields.guest.fields?.second.of?.most);
  for (const [length, ignored] of [
    [most, []],
    [most + 1, ["second"]],
  ]) {
    const query = new URLSearchParams({ model: "my-bert", second: "b".repeat(Number(length)) });
    assert.deepEqual(
      read(query.toString()).ignored.map((/** @type {string} */ part) => part.split("=")[0]),
      ignored,
    );
  }
});

test("our own models are asked nothing of it, and a question without it has no such part", () => {
  const { question, ignored } = read("model=en-zh&source=A cat.&hidden=2&language=fra&chat=on");
  assert.deepEqual(ignored, ["hidden", "language", "chat"]);
  assert(!("guest" in question));
  assert(!("guest" in read("model=my-bert").question));
  for (const wrong of ["0", "-1", "x", "2--3", "99999"]) {
    assert.deepEqual(read(`model=my-bert&hidden=${wrong}`).ignored, ["hidden"], wrong);
  }
  assert.deepEqual(read("model=org/other&source=A").ignored, ["model"]);
});

test("whoever starts the page with a model named sees that one first", () => {
  const chosen = { ...STATE, models: [{ ...GUEST, chosen: true }, OURS] };
  assert.equal(readQuestion(new URLSearchParams(), chosen).question.model, "my-bert");
  assert.equal(read("").question.model, "en-zh");
});

test("a token makes way for another where it stands, whatever its tokenizer leaves out", () => {
  const trace = {
    source: "Élan: the  DOGS ran, ran.",
    src: ["[CLS]", "␣elan", ":", "␣the", "␣dog", "s", "␣ran", ",", "[MASK]", ".", "[SEP]"],
    hidden: [{ at: 8, token: "␣ran" }],
    words: { src: [null, 0, 1, 2, 3, 3, 4, 5, 6, 7, null] },
  };
  assert.equal(withToken(trace, 1, "␣zest"), "zest: the  DOGS ran, ran.");
  assert.equal(withToken(trace, 4, "␣cat"), "Élan: the  catS ran, ran.");
  assert.equal(withToken(trace, 8, "␣slept"), "Élan: the  DOGS ran, slept.");
  assert.equal(withToken(trace, 0, "␣no"), trace.source);
  assert.deepEqual(
    spansOf(trace).map((span) => span && trace.source.slice(...span)),
    [null, "Élan", ":", "the", "DOG", "S", "ran", ",", "ran", ".", null],
  );
});

test("a guess takes the place of a text that the tokenizer does not know", () => {
  const [cls, unk, sep] = ["[CLS]", "[UNK]", "[SEP]"];
  /** @type {[source: string, src: string[], at: number, expected: string, parts?: number[]][]} */
  const cases = [
    ["The 漢 was muddy", [cls, "␣the", unk, "␣was", "␣muddy", sep], 2, "The X was muddy"],
    ["😀 was muddy", [cls, unk, "␣was", "␣muddy", sep], 1, "X was muddy"],
    ["It was 漢字.", [cls, "␣it", "␣was", unk, unk, ".", sep], 4, "It was 漢X."],
    ["It was 漢字 😀!", [cls, "␣it", "␣was", unk, unk, unk, "!", sep], 4, "It was 漢X 😀!"],
    ["漢 or [UNK]", [cls, unk, "␣or", unk, sep], 1, "X or [UNK]"],
    ["A 😀😀 ✨", [cls, "␣a", unk, unk, sep], 3, "A 😀😀 X"],
    [
      "It 漢 / 字 was",
      [cls, "␣it", unk, sep, unk, "␣was", sep],
      2,
      "It X / 字 was",
      [0, 0, 0, -1, 1, 1, -1],
    ],
    [
      "It 漢 / 字 was",
      [cls, "␣it", unk, sep, unk, "␣was", sep],
      4,
      "It 漢 / X was",
      [0, 0, 0, -1, 1, 1, -1],
    ],
    // Nothing of the text is a special token's.
    ["The bank", [cls, "␣the", "␣bank", sep], 0, "The bank"],
    ["漢 bank", [cls, unk, "␣bank", sep], 0, "漢 bank"],
    ["The bank", [cls, "␣the", "␣bank", sep], 3, "The bank"],
  ];
  for (const [source, src, at, expected, parts] of cases) {
    const shown = src.map((token, i) => (i === at ? "[MASK]" : token));
    const words = { src: shown.map((token, i) => (/^\[[CS]/.test(token) ? null : i)) };
    const trace = { source, src: shown, hidden: [{ at, token: src[at] }], words };
    assert.equal(
      withToken({ ...trace, ...(parts && { parts: { src: parts } }) }, at, "␣X"),
      expected,
    );
  }
});

test("a guest is asked what it does not lack", () => {
  /** @type {any} */
  const state = {
    lacking: [],
    models: [],
    trace: { weights: {}, tgt_in: ["a"], guest: { lacks: {} } },
  };
  /** @type {any} */
  const question = { name: "patching", ask: ["patching", "swaps"] };
  state.trace.guest.lacks = { swaps: "ours" };
  assert.equal(whyNot(question, state), "needs.guest.ours");
  assert.equal(whyNot({ ...question, must: ["patching"] }, state), null);
  state.trace.guest.lacks = { patching: "outside" };
  assert.equal(whyNot({ ...question, must: ["patching"] }, state), "needs.guest.outside");
  // A form that no such model has is the reason, rather than whose it is.
  state.trace.guest.lacks = { decoder_lens: "ours" };
  const lens = { name: "decoder_lens", ask: ["decoder_lens"] };
  assert.equal(whyNot(lens, state), "needs.cross");
  state.trace.weights.cross = {};
  assert.equal(whyNot(lens, state), "needs.guest.ours");
  // What nobody can mend is said before what a person can.
  state.trace = { src: ["a"], tgt_in: [], weights: {}, guest: { lacks: { patching: "hidden" } } };
  assert.equal(whyNot({ ...question, needs: ["judged"] }, state), "needs.guest.hidden");
});

test("which of two sentences look at which is told of two alone", () => {
  const pair = PARAMETERS.find(({ name }) => name === "pair");
  assert(pair);
  const { read, write } = pair;
  const trace = { ...makeTrace(), parts: { src: [0, 0, 0, 1, 1] } };
  /** @type {any} */
  const state = { trace, kind: "encoder_self", pair: "ba" };
  assert.equal(write(state), "ba");
  assert.deepEqual(read("ba", state), { pair: "ba" });
  assert.equal(read("ac", state), null);
  const one = { ...state, trace: makeTrace() };
  assert.deepEqual([write(one), read("ba", one)], [null, null]);
});

test("an encoder says something of what is hidden from it alone", () => {
  /** @type {any} */
  const read = { src: ["[CLS]", "␣a", "[MASK]", "[MASK]"], tgt_in: [], tgt_out: [] };
  const hidden = [2, 3].map((at) => ({ at, token: `␣${at}` }));
  assert.deepEqual(judgedOf({ ...read, hidden }).rows, [2, 3]);
  assert.deepEqual(judgedOf({ ...read, hidden }).says, ["␣2", "␣3"]);
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => judgedAt({ ...read, hidden }, step)),
    [0, 0, 0, 1],
  );
  /** @type {any} */
  const question = { name: "lens", needs: ["judged"], ask: ["lens"] };
  const reason = (/** @type {any} */ trace) => whyNot(question, { lacking: [], models: [], trace });
  assert.equal(reason({ ...read, hidden: [] }), "needs.judged");
  assert.equal(reason({ ...read, hidden }), null);
  assert.equal(reason({ ...read, tgt_in: ["<s>"], tgt_out: ["a"] }), null);
});

test("the words of tokens are those that a tokenizer tells", () => {
  const src = ["[CLS]", "␣the", "[MASK]", "s", "[SEP]"];
  const words = [null, 0, 1, 1, null];
  assert.equal(wordsAt(src, [1], words), "the");
  assert.deepEqual(piecesAt(src, 3, words), [2, 3]);
  assert.deepEqual(piecesAt(src, 0, words), [0]);
});

test("the tour and the exercises stop where a model has something to show", () => {
  /** @type {any} */
  const read = { guest: { form: "encoder" }, weights: { encoder_self: { keys: 3 } } };
  /** @type {(trace: any, stops?: import("../../assets/lessons/stop.js").Stop[]) => string[]} */
  const names = (trace, stops = TOUR) =>
    stops.filter((stop) => suits(stop, trace)).map(({ name }) => name);
  assert.deepEqual(names(read), ["tokens", "mask", "heads"]);
  // One that reads within windows hides something.
  const causal = { keys: 3, allowed: new Uint8Array([1, 1, 0, 1, 1, 1, 0, 1, 1]) };
  const windows = { ...read, weights: { encoder_self: { keys: 3, causal } } };
  assert.deepEqual(names(windows), ["tokens", "heads"]);
  const decoder = { guest: { form: "decoder" }, weights: { decoder_self: {} } };
  const writing = ["tokens", "mask", "heads", "cross", "next"];
  assert.deepEqual(names(decoder), [...writing, "sinks", "induction"]);
  const both = { encoder_self: { keys: 3 }, decoder_self: {}, cross: {} };
  assert.deepEqual(names({ guest: { form: "encoder-decoder" }, weights: both }), writing);
  // What decoders of today have is told of decoders alone, ours too.
  assert.equal(names({ weights: both }).length, TOUR.length - 2);
  assert.equal(names({ weights: decoder.weights }).length, TOUR.length);
  // Words are guessed by such guests alone as are asked for hidden ones.
  const all = EXERCISES.map(({ name }) => name).filter((name) => name !== "guessed");
  const own = all.filter((name) => name !== "induction");
  assert.deepEqual(names({ weights: both }, EXERCISES), own);
  // Of our own decoders one that is known by such a head; of a guest nobody knows before.
  assert.deepEqual(names({ weights: decoder.weights }, EXERCISES), own);
  const heads = { decoder_self: { head: "L2H1", role: "induction" } };
  assert.deepEqual(names({ weights: decoder.weights, heads }, EXERCISES), all);
  assert.deepEqual(names({ weights: both, heads }, EXERCISES), own);
  assert.deepEqual(names(read, EXERCISES), ["looks_back", "rests"]);
  const masks = { ...read, guest: { ...read.guest, masks: true } };
  assert.deepEqual(names(masks, EXERCISES), ["looks_back", "rests", "guessed"]);
  assert.deepEqual(
    names(decoder, EXERCISES),
    all.filter((name) => !["aligns", "one_row"].includes(name)),
  );
  assert.equal(addressFor(TOUR[0], read), "tab=model&block=encoder.tokens");
});
