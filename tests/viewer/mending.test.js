import assert from "node:assert/strict";
import test from "node:test";
import { decodingActions } from "../../assets/state/decoding.js";
import { createStore } from "../../assets/state/store.js";

/**
 * What is complained of after each of these texts is typed, one after the other.
 *
 * @param {string} refused
 * @param {import("../../assets/state/problem.js").Problem} error
 * @param {string[]} typed
 */
async function complaints(refused, error, typed) {
  /** @type {any} */
  const state = { models: [], interventions: [], sampling: null, model: "en-zh", tree: [] };
  const store = createStore(state);
  const { translate, editSource } = decodingActions(
    store,
    async () => ({ error }),
    () => {},
  );
  await translate(refused);
  assert.equal(store.get().error?.code, error.code);
  return typed.map((text) => {
    editSource(text);
    return store.get().error?.code ?? null;
  });
}

test("a complaint goes with the keystroke that mends it, and not before", async () => {
  const empty = { code: "empty_source", details: {} };
  assert.deepEqual(await complaints("", empty, [" ", "I"]), ["empty_source", null]);

  const long = { code: "source_too_long", details: { length: 150, limit: 128 } };
  const text = "word ".repeat(150);
  assert.deepEqual(
    await complaints(text, long, [text.slice(0, 700), text.slice(0, 641), text.slice(0, 640)]),
    ["source_too_long", "source_too_long", null],
  );

  const many = { code: "too_many_characters", details: { length: 7, limit: 5 } };
  // As the server counts, a lamp is one character.
  assert.deepEqual(await complaints("abcdefg", many, ["abcdef", "🔦🔦🔦🔦🔦"]), [
    "too_many_characters",
    null,
  ]);

  const gone = { code: "no_answer", details: {} };
  assert.deepEqual(await complaints("I love", gone, ["I love you"]), ["no_answer"]);
});

test("a file that could not be opened is spoken of until the next sentence", async () => {
  const refused = { code: "file_broken", details: { name: "x.json" } };
  const error = { code: "no_answer", details: {} };
  /** @type {any} */
  const state = {
    models: [],
    interventions: [],
    sampling: null,
    model: "en-zh",
    tree: [],
    refused,
  };
  const store = createStore(state);
  const { translate } = decodingActions(
    store,
    async () => ({ error }),
    () => {},
  );
  await translate("I love");
  assert.equal(store.get().refused, null);
});
