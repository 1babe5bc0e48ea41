import assert from "node:assert/strict";
import test from "node:test";
import { between, corners, hueOf, nearest, ribbonsOf } from "../../assets/draw/beam/ribbons.js";
import { shownBeam } from "../../assets/state/beam.js";
import { crosshair } from "../../assets/state/pointing.js";
import { lampOf, raysOf } from "../../assets/trace/beam.js";
import { makeTrace } from "./traces.js";

const CHOSEN = { layer: 0, head: 0 };

/** @param {number[][]} rows  of the only head */
function weightsOf(rows) {
  const data = Float32Array.from(rows.flat());
  return { layers: 1, heads: 1, queries: rows.length, keys: rows[0].length, data };
}

const CROSS = weightsOf([
  [0.5, 0.5, 0],
  [0.002, 0.25, 0.748],
  [0, 1, 0],
]);

const SELF = weightsOf([
  [1, 0, 0],
  [0.25, 0.75, 0],
  [0.1, 0.2, 0.7],
]);

const TRACE = makeTrace({ weights: { encoder_self: SELF, decoder_self: SELF, cross: CROSS } });

/** @typedef {Parameters<typeof shownBeam>[0]} State */

/**
 * @param {Partial<State>} [given]
 * @returns {State}
 */
function stateOf(given = {}) {
  const heads = { encoder_self: CHOSEN, decoder_self: CHOSEN, cross: CHOSEN };
  const looking = { kind: /** @type {const} */ ("cross"), pins: {}, hover: null, token: null };
  return { trace: TRACE, heads, step: 1, pair: "all", arrivals: 0, ...looking, ...given };
}

/** @param {import("../../assets/trace/beam.js").Ray[] | undefined} rays */
const rounded = (rays) =>
  rays?.map(({ query, key, weight }) => [query, key, Math.round(1000 * weight)]);

test("a row's light is its weights, but for what is too faint to follow", () => {
  const rays = raysOf(CROSS, "cross", [CHOSEN], { query: 1, key: null });
  assert.deepEqual(rounded(rays), [
    [1, 1, 250],
    [1, 2, 748],
  ]);
});

test("the light on a word comes from the rows that have been written", () => {
  const onTheSecond = (/** @type {number} */ last) =>
    rounded(raysOf(CROSS, "cross", [CHOSEN], { query: null, key: 1 }, last));
  assert.deepEqual(onTheSecond(1), [
    [0, 1, 500],
    [1, 1, 250],
  ]);
  assert.equal(onTheSecond(2)?.length, 3);
});

test("no light falls on what is masked", () => {
  const rays = raysOf(SELF, "decoder_self", [CHOSEN], { query: null, key: 2 });
  assert.deepEqual(rounded(rays), [[2, 2, 700]]);
});

/** Five steps. */
const STEPS = { tgt_in: [..."<abcd"], tgt_out: [..."abcd>"] };

test("the lamp is the word being written, and in the encoder the word itself", () => {
  assert.equal(lampOf(STEPS, "cross", 3), 4);
  assert.equal(lampOf(STEPS, "decoder_self", 3), 4);
  assert.equal(lampOf(STEPS, "encoder_self", 3), 3);
});

test("the beam is the step's, until a word or a cell is pointed at", () => {
  assert.deepEqual(shownBeam(stateOf())?.focus, { query: 1, key: null });
  /** @type {[Partial<State>, unknown][]} */
  const cases = [
    [{ token: { side: "source", index: 2 } }, { query: null, key: 2 }],
    [{ token: { side: "written", index: 0 } }, { query: 0, key: null }],
    [{ token: { side: "written", index: 2 } }, { query: 1, key: null }], // not written yet
    [{ token: { side: "target", index: 0 } }, { query: 1, key: null }], // <s>, which nothing wrote
    [{ hover: { kind: "cross", ...CHOSEN, query: 0, key: 2 } }, { query: 0, key: null }],
    [
      { kind: "encoder_self", token: { side: "source", index: 0 } },
      { query: 0, key: null },
    ],
    // The encoder knows no steps: the word that the step reads.
    [{ kind: "encoder_self" }, { query: 2, key: null }],
  ];
  for (const [given, focus] of cases) assert.deepEqual(shownBeam(stateOf(given))?.focus, focus);
});

test("pinned heads shine together", () => {
  const other = { layer: 0, head: 1 };
  const trace = makeTrace({}, { layers: 1, heads: 2 });
  const beam = shownBeam(stateOf({ trace, pins: { cross: [CHOSEN, other] } }));
  assert.deepEqual(new Set(beam?.rays.map(({ head }) => head)), new Set([0, 1]));
  assert.equal(hueOf([CHOSEN, { layer: 0, head: 5 }], 1), 5, "as in the lines of one layer");
  assert.equal(hueOf([CHOSEN, { layer: 1, head: 5 }], 1), 1);
});

test("a word that was written marks the row that wrote it", () => {
  const state = { hover: null, token: { side: /** @type {const} */ ("written"), index: 1 } };
  assert.deepEqual(crosshair("cross", state), { rows: [1], columns: [] });
  assert.deepEqual(crosshair("decoder_self", state), { rows: [1], columns: [] });
  assert.deepEqual(crosshair("encoder_self", state), { rows: [], columns: [] });
});

const WORDS = [50, 150, 250].map((x) => ({ x, width: 40 }));
const ROWS = {
  words: WORDS,
  lamps: WORDS,
  view: 300,
  heads: 1,
  lampOf: (/** @type {number} */ q) => q,
};

test("a beam is as wide at a word as its weight, and a row's beams share the lamp", () => {
  const rays = raysOf(CROSS, "cross", [CHOSEN], { query: 1, key: null });
  const [faint, strong] = ribbonsOf(rays, ROWS);
  assert.equal(faint.ray.key, 1, "the strongest lies on top");
  assert(Math.abs(strong.word.width / faint.word.width - 0.748 / 0.25) < 1e-3);
  assert(Math.abs(strong.lamp.width / faint.lamp.width - 0.748 / 0.25) < 1e-3);
  assert.deepEqual([faint.word.x, strong.word.x], [150, 250]);
  // Beside each other, not upon each other.
  assert(faint.lamp.x + faint.lamp.width / 2 <= strong.lamp.x - strong.lamp.width / 2 + 1e-9);
  const [[left, below], [, above]] = corners(strong, 70);
  assert.deepEqual([below, above], [70, 0]);
  assert(left < strong.lamp.x);
});

test("a beam to a word out of sight ends at the edge, and says on which side", () => {
  const rays = raysOf(CROSS, "cross", [CHOSEN], { query: 0, key: null });
  const words = [{ x: -80, width: 40 }, { x: 420, width: 40 }, WORDS[2]];
  const ends = ribbonsOf(rays, { ...ROWS, words }).map(({ word }) => word);
  assert.deepEqual(ends.map(({ edge }) => edge).sort(), [-1, 1]);
  for (const { x } of ends) assert(x >= 0 && x <= 300);
});

test("a hand means the word that it is nearest to", () => {
  assert.equal(nearest(WORDS, 95), 0);
  assert.equal(nearest(WORDS, 105), 1);
  assert.equal(nearest(WORDS, 999), 2);
  assert.equal(nearest([], 5), -1);
});

test("a sweep begins with the last step's light and ends with the next one's", () => {
  const [before, after] = [0, 1].map((query) =>
    raysOf(CROSS, "cross", [CHOSEN], { query, key: null }),
  );
  const lit = (/** @type {number} */ share) =>
    Object.fromEntries(
      between(before, after, share)
        .filter(({ weight }) => weight > 0)
        .map(({ key, weight }) => [key, Number(weight.toFixed(3))]),
    );
  assert.deepEqual(lit(0), { 0: 0.5, 1: 0.5 });
  assert.deepEqual(lit(0.5), { 0: 0.25, 1: 0.375, 2: 0.374 });
  assert.deepEqual(lit(1), { 1: 0.25, 2: 0.748 });
});
