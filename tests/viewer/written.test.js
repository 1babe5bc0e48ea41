import assert from "node:assert/strict";
import test from "node:test";
import { writtenText } from "../../assets/trace/written.js";

test("while what comes next is hidden, a translation ends where its step does", () => {
  const trace = { translation: "I love you.", tgt_out: ["I", "␣love", "␣you", ".", "</s>"] };
  const at = (/** @type {number} */ step) => writtenText(trace, { hiding: true, step });
  assert.deepEqual([0, 1, 3, 4].map(at), ["I …", "I love …", "I love you. …", "I love you."]);
  assert.equal(writtenText(trace, { hiding: false, step: 0 }), "I love you.");
});
