import assert from "node:assert/strict";
import test from "node:test";
import { hasHead, headName, parseHead } from "../../assets/trace/choice.js";
import { openingHead, representativeHead, shownBy } from "../../assets/trace/trace.js";
import { makeTrace } from "./traces.js";

/** @type {[string, import("../../assets/trace/choice.js").Choice][]} */
const NAMES = [
  ["L2H4", { layer: 1, head: 3 }],
  ["L12H10", { layer: 11, head: 9 }],
  ["L2.mean", { layer: 1, head: "mean" }],
  ["L2.max", { layer: 1, head: "max" }],
  ["H4.mean", { layer: "mean", head: 3 }],
  ["H4.max", { layer: "max", head: 3 }],
  ["mean", { layer: "mean", head: "mean" }],
  ["max", { layer: "max", head: "max" }],
  ["mean.max", { layer: "mean", head: "max" }],
  ["max.mean", { layer: "max", head: "mean" }],
];

test("every head and aggregate has one name, which names it", () => {
  for (const [name, choice] of NAMES) {
    assert.equal(headName(choice), name);
    assert.deepEqual(parseHead(name), choice);
  }
});

test("anything else names none", () => {
  const wrong = [
    "",
    "L",
    "L0H1",
    "L1H0",
    "0.1",
    "3.1",
    "2.mean",
    "mean.4",
    "L1",
    "H1",
    "L1H1.mean",
    "L1.min",
    "mean.L1",
  ];
  for (const name of [...wrong, "l1h1", "L1H1 ", "L-1H1", "L1e2H1", "L1.mean.x", "__proto__"]) {
    assert.equal(parseHead(name), null, name);
  }
});

test("a head is there if its layer and its number are", () => {
  const size = { layers: 2, heads: 4 };
  const there = (/** @type {string} */ name) =>
    hasHead(parseHead(name) ?? { layer: 99, head: 99 }, size);
  assert.deepEqual(["L2H4", "L2.max", "H4.mean", "mean"].map(there), [true, true, true, true]);
  assert.deepEqual(["L3H1", "L1H5", "L3.mean", "H5.max"].map(there), [false, false, false, false]);
});

test("a kind opens on its representative head, and without one on the last layer's first", () => {
  const heads = { cross: { head: "L1H2", role: "aligns", row: "reads" } };
  const trace = makeTrace({ heads });
  assert.deepEqual(representativeHead(trace, "cross"), {
    choice: { layer: 0, head: 1 },
    role: "aligns",
    row: "reads",
  });
  assert.deepEqual(openingHead(trace, "cross"), { layer: 0, head: 1 });
  const opening = { head: "L2.mean", row: "predicts", meets: 0.8, other: 0.9 };
  const opened = makeTrace({ heads: { cross: { ...heads.cross, opening } } });
  assert.deepEqual(openingHead(opened, "cross"), { layer: 1, head: "mean" });
  assert.deepEqual(shownBy(opened, "cross"), { layer: 0, head: 1 });
  const gone = { ...heads.cross, opening: { ...opening, head: "L9.mean" } };
  assert.deepEqual(openingHead(makeTrace({ heads: { cross: gone } }), "cross"), {
    ...{ layer: 0, head: 1 },
  });
  assert.deepEqual(openingHead(trace, "encoder_self"), { layer: 1, head: 0 });
  assert.deepEqual(openingHead(makeTrace(), "cross"), { layer: 1, head: 0 });
  assert.equal(openingHead(makeTrace({ weights: {} }), "cross"), undefined);
});

test("a representative head that the trace lacks, and a role that nobody knows, tell nothing", () => {
  const lacks = makeTrace({ heads: { cross: { head: "L9H1", role: "aligns" } } });
  assert.equal(representativeHead(lacks, "cross"), null);
  const nonsense = makeTrace({ heads: { cross: { head: "<b>", role: "aligns" } } });
  assert.equal(representativeHead(nonsense, "cross"), null);
  const unknown = makeTrace({ heads: { cross: { head: "L1H1", role: "constructor" } } });
  assert.equal(representativeHead(unknown, "cross")?.role, undefined);
});
