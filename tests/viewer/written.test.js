import assert from "node:assert/strict";
import test from "node:test";
import { visible, wouldWrite, writtenText } from "../../assets/trace/written.js";
import { makeTrace } from "./traces.js";

test("while what comes next is hidden, a translation ends where its step does", () => {
  const tgt_out = ["I", "␣love", "␣you", ".", "</s>"];
  const trace = { translation: "I love you.", src: ["我"], tgt_in: ["<s>"], tgt_out };
  const at = (/** @type {number} */ step) => writtenText(trace, { hiding: true, step });
  assert.deepEqual([0, 1, 3, 4].map(at), ["I …", "I love …", "I love you. …", "I love you."]);
  assert.equal(writtenText(trace, { hiding: false, step: 0 }), "I love you.");
  // A prompt's first token may be a word.
  const prompt = {
    translation: "The cat sat.",
    src: [],
    tgt_in: ["The", "␣cat"],
    tgt_out: ["␣cat", "␣sat", "."],
  };
  assert.equal(writtenText(prompt, { hiding: true, step: 0 }), "The cat …");
});

test("what a model would write instead is told step by step, as far as it may be seen", () => {
  const trace = makeTrace();
  trace.candidates[1] = [{ token: "dog", id: 9, probability: 0.6 }];
  const all = wouldWrite(trace, { hiding: false, step: 0 });
  assert.deepEqual(all, [
    { token: "5", other: false },
    { token: "dog", other: true },
    { token: "2", other: false },
  ]);
  assert.deepEqual(wouldWrite(trace, { hiding: true, step: 1 }), all.slice(0, 2));
});

test("control characters of a text are signs", () => {
  assert.equal(visible("a\u0001b\u0085c\td\ne\u200d"), "a\\x01b\\u{85}c\td\ne\u200d");
});
