import assert from "node:assert/strict";
import test from "node:test";
import { isRowAhead, mapMarks } from "../../assets/parts/map/marks.js";
import { SINK } from "../../assets/trace/sinks.js";
import { weightsOf } from "../../assets/trace/weights.js";
import { standsOut } from "../../assets/views/attention/lines/drawn.js";
import { progressText } from "../../assets/views/download_progress.js";
import {
  cellText,
  keyName,
  matrixMarks,
  strongestIn,
  tipText,
} from "../../assets/views/panel/shown_cells.js";
import { makeTrace } from "./traces.js";

/** @type {import("../../assets/kit/i18n.js").Translate} */
const t = (key, values) => `${key}${values ? ` ${Object.values(values).join(" ")}` : ""}`;

/** One head of three tokens, and what its rows give to no key. */
const ROWS = [1, 0, 0, 0.25, 0.5, 0, 0, 0, 0];
const SHAPE = { layers: 1, heads: 1, queries: 3, keys: 3 };
const WEIGHTS = weightsOf(Float32Array.from(ROWS), SHAPE);
const SINKS = weightsOf(Float32Array.from(ROWS), {
  ...SHAPE,
  sinks: [Float32Array.from([0, 0.25, 1])],
});
const HEAD = { layer: 0, head: 0 };

/** @type {(kind: import("../../assets/trace/kinds.js").Kind, query: number, key: number) => string} */
const textAt = (kind, query, key) => cellText(t, SINKS, { kind, ...HEAD, query, key }, 1, 2);

test("a cell tells its weight, or why it has none", () => {
  assert.equal(textAt("decoder_self", 1, 1), "0.50");
  assert.equal(textAt("decoder_self", 1, 2), "tip.masked");
  assert.equal(textAt("cross", 2, 0), "tip.ahead");
  assert.equal(textAt("encoder_self", 1, SINK), "0.25");
  const large = { ...WEIGHTS, arrived: new Map() };
  assert.equal(cellText(t, large, { kind: "cross", ...HEAD, query: 0, key: 0 }, 2, 2), "…");
});

test("a cell's sentence depends on what is known of its row, its key on whether there is one", () => {
  const trace = makeTrace();
  assert.equal(tipText(t, "encoder_self", undefined), "tip.encoder");
  assert.equal(tipText(t, "cross", "爱"), "tip.decoder");
  assert.equal(tipText(t, "cross", ""), "tip.reads");
  assert.equal(keyName(t, trace, "cross", 1), "␣love");
  assert.equal(keyName(t, trace, "cross", SINK), "axis.sink");
});

test("of cells that share a point the strongest is told, and never a masked one", () => {
  const all = { row: 0, rows: 3, column: -1, columns: 9 };
  assert.deepEqual(strongestIn(WEIGHTS, "cross", HEAD, all), { query: 0, key: 0 });
  const below = { ...all, row: 1, rows: 1 };
  assert.deepEqual(strongestIn(WEIGHTS, "cross", HEAD, below), { query: 1, key: 1 });
  const masked = { row: 0, rows: 1, column: 1, columns: 2 };
  assert.equal(strongestIn(WEIGHTS, "decoder_self", HEAD, masked), null);
});

test("a matrix marks its step's row, and the pointed cell rather than the one worked out", () => {
  const trace = makeTrace();
  trace.weights.cross = SINKS;
  const picked = { kind: /** @type {const} */ ("cross"), ...HEAD, query: 2, key: 0 };
  const state = { trace, step: 1, hover: null, token: null, picked };
  const marks = matrixMarks(state, "cross", HEAD);
  // The sink's column stands before the first key's.
  assert.deepEqual(marks, {
    ...{ step: 1, bare: false, lines: { rows: [], columns: [] } },
    pointed: { query: 2, key: 1 },
  });
  assert.equal(matrixMarks(state, "cross", { layer: 0, head: 1 }).pointed, null);
  const hover = { ...picked, query: 0, key: 2 };
  const pointed = matrixMarks({ ...state, hover }, "cross", HEAD);
  assert.deepEqual(pointed.pointed, { query: 0, key: 3 });
  assert.deepEqual(pointed.lines, { rows: [0], columns: [3] });
  assert.equal(matrixMarks(state, "encoder_self", HEAD).step, null, "the encoder has no steps");
});

test("a map marks the row of the step, and hides the rows whose steps come later", () => {
  const numbers = { rows: 3, columns: 1, values: new Float32Array(3) };
  const drawn = /** @type {import("../../assets/parts/map/drawn.js").Drawn} */ (
    /** @type {unknown} */ ({ numbers, steps: [[0, 1], [2], [4]] })
  );
  const at = (/** @type {number} */ step, hiding = false) =>
    mapMarks(drawn, { step, hiding }, null);
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => at(step).marks.step),
    [0, 0, 1, null],
    "step 3 is of no row",
  );
  assert.equal(at(3, true).marks.step, 1, "the last row that is not hidden");
  assert.deepEqual([at(3).seen, at(3, true).seen], [3, 2]);
  const ahead = [0, 1, 2].map((row) => isRowAhead(drawn, row, { step: 2, hiding: true }));
  assert.deepEqual(ahead, [false, false, true]);
  assert.equal(isRowAhead(drawn, 2, { step: 2, hiding: false }), false);
  assert.deepEqual(
    mapMarks(drawn, { step: 0, hiding: false }, { row: 2, column: 0 }).marks.pointed,
    {
      query: 2,
      key: 0,
    },
  );
});

test("lines stand out between a row and a column of one cell, else from all that are lit", () => {
  const drawn = { seen: () => true, among: () => true };
  const light = { rows: new Set([1]), columns: new Set([2]), pointed: true, cell: true };
  assert.equal(standsOut(drawn, light, 1, 2), true);
  assert.equal(standsOut(drawn, light, 1, 0), false);
  assert.equal(standsOut(drawn, { ...light, cell: false }, 1, 0), true);
  assert.equal(standsOut({ ...drawn, seen: () => false }, light, 1, 2), false);
  assert.equal(standsOut({ ...drawn, among: () => false }, light, 1, 2), false);
});

test("how far a download is is spoken in quarters", () => {
  const download = { model: "me/small", stage: "fetching", received: 60, total: 100, name: "" };
  const spoken = (/** @type {Record<string, unknown>} */ changes) =>
    progressText(t, /** @type {any} */ ({ ...download, ...changes }));
  assert.equal(spoken({}), "more.percent small 50");
  assert.equal(spoken({ received: 49 }), "more.percent small 25");
  assert.equal(spoken({ total: 0 }), "more.fetching");
  assert.equal(spoken({ stage: "measuring" }), "more.measuring");
  assert.equal(spoken({ stage: "done" }), "");
  assert.equal(progressText(t, null), "");
});
