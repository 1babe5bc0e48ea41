import assert from "node:assert/strict";
import test from "node:test";
import { wouldWrite, writtenText } from "../../assets/trace/written.js";
import { makeTrace } from "./traces.js";

test("while what comes next is hidden, a translation ends where its step does", () => {
  const trace = { translation: "I love you.", tgt_out: ["I", "␣love", "␣you", ".", "</s>"] };
  const at = (/** @type {number} */ step) => writtenText(trace, { hiding: true, step });
  assert.deepEqual([0, 1, 3, 4].map(at), ["I …", "I love …", "I love you. …", "I love you."]);
  assert.equal(writtenText(trace, { hiding: false, step: 0 }), "I love you.");
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
