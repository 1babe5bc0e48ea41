import assert from "node:assert/strict";
import test from "node:test";
import { NO_ANSWER } from "../../assets/state/problem.js";
import { answering } from "../../assets/state/server/ask.js";

/** @param {number} failures  how many requests get no answer */
function unreliable(failures) {
  /** @type {string[]} */
  const sent = [];
  const ask = answering(async ({ ask }) => {
    sent.push(ask);
    if (sent.length <= failures) throw new Error("gone");
    return { card: "hello" };
  });
  return { ask, sent };
}

test("what changes nothing is asked for once more", async () => {
  for (const form of ["card", "history"]) {
    const { ask, sent } = unreliable(1);
    assert.deepEqual(await ask({ ask: form }), { card: "hello" });
    assert.deepEqual(sent, [form, form]);
  }
});

test("anything else is asked for once", async () => {
  const { ask, sent } = unreliable(1);
  assert.deepEqual(await ask({ ask: "remove" }), { error: NO_ANSWER });
  assert.deepEqual(sent, ["remove"]);
});
