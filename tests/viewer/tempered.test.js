import assert from "node:assert/strict";
import test from "node:test";
import { parseTempering, temperingText } from "../../assets/state/sampling.js";
import { tempered } from "../../assets/trace/tempered.js";

const VOCABULARY = Array.from(
  { length: 400 },
  (_, id) => 4 * Math.sin(id * 12.9898) + (id % 7) / 5,
);
const TEMPERATURES = Array.from({ length: 39 }, (_, i) => (10 + 5 * i) / 100);

/** @param {number} temperature */
function softmax(temperature) {
  const powers = VOCABULARY.map((logit) => Math.exp(logit / temperature));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

/** @type {(rows: number[][]) => import("../../assets/trace/unpack.js").PackedArray} */
const packed = (rows) => ({
  ...{ shape: [rows.length, rows[0].length], dtype: "float32" },
  data: new Uint8Array(Float32Array.from(rows.flat()).buffer),
});

const order = VOCABULARY.map((_, id) => id).sort((a, b) => VOCABULARY[b] - VOCABULARY[a]);
const ids = order.slice(0, 50);
const distribution = {
  ...{ ids: [ids], tokens: [ids.map(String)], temperatures: TEMPERATURES },
  logits: packed([ids.map((id) => VOCABULARY[id])]),
  log_sum: packed([
    TEMPERATURES.map((each) =>
      Math.log(VOCABULARY.reduce((sum, logit) => sum + Math.exp(logit / each), 0)),
    ),
  ]),
};

/** @type {(one: number, other: number) => void} */
const near = (one, other) => assert(Math.abs(one - other) < 1e-4, `${one}, not ${other}`);

test("at every temperature a token is as likely as the whole vocabulary makes it, told or not", () => {
  const own = softmax(1);
  for (const temperature of TEMPERATURES) {
    const { share, beyond } = tempered(distribution, 0, { temperature, top_p: 1 });
    assert(!beyond);
    for (const id of [order[0], order[49], order[50], order[399]])
      near(share(id, own[id]), softmax(temperature)[id]);
  }
});

test("a nucleus is the fewest tokens that reach p, and one past those that are told is not cut", () => {
  const shares = softmax(0.5);
  let inside = 0;
  const nucleus = order.filter((id) => {
    const within = inside < 0.6;
    if (within) inside += shares[id];
    return within;
  });
  assert(nucleus.length > 1 && nucleus.length < 50);
  const { share, beyond } = tempered(distribution, 0, { temperature: 0.5, top_p: 0.6 });
  assert(!beyond);
  for (const id of order.slice(0, 60))
    near(share(id, softmax(1)[id]), nucleus.includes(id) ? shares[id] / inside : 0);
  const flat = tempered(distribution, 0, { temperature: 2, top_p: 0.95 });
  assert(flat.beyond);
  near(flat.share(order[0], softmax(1)[order[0]]), softmax(2)[order[0]]);
});

test("an address holds it, on the grid alone", () => {
  assert.deepEqual(parseTempering("0.35"), { temperature: 0.35, top_p: 1 });
  assert.deepEqual(parseTempering("1.5-0.9"), { temperature: 1.5, top_p: 0.9 });
  for (const bad of ["", "0", "0.33", "2.05", "1-0", "1-1.5", "1-0.9-3", "-1"])
    assert.equal(parseTempering(bad), null, bad);
  assert.equal(temperingText({ temperature: 0.7000000000000001, top_p: 1 }), "0.7");
});
