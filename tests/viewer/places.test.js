import assert from "node:assert/strict";
import test from "node:test";
import { FORMULAS } from "../../assets/lessons/formulas.js";
import { sinusoids } from "../../assets/trace/positions.js";
import { base64Of } from "../../assets/trace/unpack.js";
import { makeTrace } from "./traces.js";

test("the tour counts places from 1, as the tokens' list and the questions do", async () => {
  const [first, second] = sinusoids(2, 4);
  const data = base64Of(new Uint8Array(Float32Array.of(...first, ...second).buffer));
  const parts = { added: { shape: [2, 4], dtype: "float32", data } };
  /** @type {any} */
  const context = {
    about: () => ({ inside: async () => ({ parts }) }),
    t: (/** @type {string} */ key, /** @type {{place: number}} */ { place }) => `${key} ${place}`,
  };
  const shown = await FORMULAS.position(context, makeTrace(), 0);
  // The second place's: pos = 1.
  assert.deepEqual(shown, ["model.pe 2 = (0.84, 0.54, 0.01, …)"]);
});
