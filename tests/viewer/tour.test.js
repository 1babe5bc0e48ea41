import assert from "node:assert/strict";
import test from "node:test";
import { FORMULAS } from "../../assets/lessons/formulas.js";
import { QUESTIONS } from "../../assets/lessons/questions.js";
import { makeTrace } from "./traces.js";

/** @type {Record<string, import("../../assets/lessons/questions.js").Ask>} */
const ASKED = QUESTIONS;

/** @type {any} */
const CONTEXT = {
  t: (/** @type {string} */ key, /** @type {Record<string, unknown>} */ values = {}) =>
    [key, ...Object.values(values)].join(" "),
};

const TEXT = ["A", "␣b", "␣c", "␣d", "A", "␣b", "␣c", "␣d"];

/**
 * A decoder of one layer of two heads: the first rests on the first token, the second looks up what
 * came next before, as far as there is anything.
 *
 * @param {string[]} tgt_in
 */
function decoder(tgt_in) {
  const size = tgt_in.length;
  const data = new Float32Array(2 * size * size);
  for (let row = 0; row < size; row++) {
    const copy = tgt_in.indexOf(tgt_in[row]);
    data[row * size] = 1;
    data[size * size + row * size + (copy < row ? copy + 1 : row)] = 1;
  }
  const decoder_self = { layers: 1, heads: 2, queries: size, keys: size, data };
  const tgt_ids = tgt_in.map((_, i) => i);
  return makeTrace({ tgt_ids, tgt_in, src: [], weights: { decoder_self } });
}

/** @type {(name: string, trace: import("../../assets/trace/trace.js").Trace) => Promise<string[]>} */
async function right(name, trace) {
  const { options } = await ASKED[name](CONTEXT, trace, 0);
  return options.filter((option) => option.right).map(({ label, value }) => `${label}: ${value}`);
}

test("how much rests on the first token is what all heads give it, and which gives most", async () => {
  const trace = decoder(TEXT);
  const [all, most] = await FORMULAS.sinks(CONTEXT, trace, 0);
  // Rows 3 to 8, since in the first two it is the token itself, or the one before.
  const chance = [3, 4, 5, 6, 7, 8].reduce((sum, seen) => sum + 1 / seen / 6, 0);
  assert.equal(all, `tour.sinks.counted 2 A 0.50 ${chance.toFixed(2)}`);
  assert.equal(most, "tour.sinks.most L1H1 1.00");
  assert.deepEqual(await right("sinks", trace), ["tour.some: 0.50"]);
});

test("what came next before is told once four rows have it", async () => {
  const trace = decoder(TEXT);
  const [text] = await FORMULAS.induction(CONTEXT, trace, 0);
  assert(/counted L1H2 1\.00 0\.1\d$/.test(text), text);
  assert.deepEqual(await right("induction", trace), ["tour.most: 1.00"]);
  const fewer = decoder(TEXT.slice(0, 6));
  assert.deepEqual(await FORMULAS.induction(CONTEXT, fewer, 0), ["tour.induction.none"]);
  assert.deepEqual((await ASKED.induction(CONTEXT, fewer, 0)).options, []);
});

test("an encoder's tokens may look at all others, and its sharpest head is asked for", async () => {
  const { encoder_self } = makeTrace().weights;
  /** @type {any} */
  const guest = { form: "encoder" };
  const trace = makeTrace({ guest, tgt_ids: [], tgt_in: [], weights: { encoder_self } });
  const weights = /** @type {import("../../assets/trace/weights.js").Weights} */ (encoder_self);
  weights.data.set([0.9, 0.1, 0, 0, 1, 0, 0, 0, 1], 4 * 9); // L2H1
  const mask = await ASKED.mask(CONTEXT, trace, 0);
  assert.equal(mask.key, "mask.question_encoder");
  assert.deepEqual(await right("mask", trace), ["3: 3 / 3"]);
  assert.deepEqual(await FORMULAS.mask(CONTEXT, trace, 0), ["tour.mask.counted 3 0 3"]);
  assert.deepEqual(await right("heads", trace), ["L2H1: 0.97"]);
});
