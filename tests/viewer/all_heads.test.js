/** Texts and models that are large: which cells are drawn, how all heads stand, which words stay in sight. */

import assert from "node:assert/strict";
import test from "node:test";
import { farWords } from "../../assets/draw/beam/far.js";
import { pooled } from "../../assets/draw/pooled.js";
import { holds, partInSight, sharingPoint } from "../../assets/parts/grid/sight.js";
import { shownMatrix, sinkColumns } from "../../assets/trace/sinks.js";
import {
  byLayer,
  byMeasure,
  layerRead,
  roleCounts,
} from "../../assets/views/all_heads/arranged.js";

test("layers stand across and heads down, with a gap where a layer has fewer", () => {
  const [{ rows }] = byLayer({ layers: 3, heads: 2, counts: [2, 0, 1] });
  assert.deepEqual(rows, [
    [{ layer: 0, head: 0 }, null, { layer: 2, head: 0 }],
    [{ layer: 0, head: 1 }, null, null],
  ]);
});

test("a layer is read at its size if the model has it; else all heads are shown", () => {
  const size = { layers: 3, heads: 2 };
  assert.deepEqual([layerRead(0, size), layerRead(2, size)], [0, 2]);
  assert.deepEqual([layerRead(3, size), layerRead(null, size)], [null, null]);
});

/** @type {(layer: number, role: string | null, share: number, sharpness: number, harm: number) => any} */
const row = (layer, role, share, sharpness, harm) => ({
  ...{ kind: "decoder_self", layer, head: 0, role, share, chance: 0 },
  numbers: { sharpness, harm },
});

const HEADS = [
  row(0, null, 0, 0.2, 0.1),
  row(1, "first", 0.5, 0.6, 0),
  row(2, "previous", 0.9, 0.9, -3),
  row(3, "first", 0.8, 0.8, -1),
];

test("by a measure the sharpest come first, or the most harmful, as many in a row as there is room for", () => {
  const layers = (/** @type {any} */ order) =>
    byMeasure(HEADS, order, [], 3).map(({ rows }) => rows.map((own) => own.map((it) => it?.layer)));
  assert.deepEqual(layers("sharpness"), [[[2, 3, 1], [0]]]);
  assert.deepEqual(layers("harm"), [[[2, 3, 1], [0]]]);
});

test("heads of a role stand together, the clearest first, and those of none last", () => {
  const groups = byMeasure(HEADS, "role", ["itself", "previous", "first"], 3);
  assert.deepEqual(
    groups.map(({ role, rows }) => [role, rows.flat().map((head) => head?.layer)]),
    [
      ["previous", [2]],
      ["first", [3, 1]],
      [null, [0]],
    ],
  );
  assert.deepEqual(roleCounts(HEADS, ["itself", "first"]), [{ role: "first", count: 2 }]);
});

test("of a matrix that is zoomed what is in sight is drawn, and some around it", () => {
  const layout = { cellWidth: 10, cellHeight: 20 };
  const count = { rows: 100, columns: 300 };
  const seen = { left: 1000, top: 400, width: 200, height: 100 };
  const bare = partInSight(layout, count, seen, 0);
  assert.deepEqual(bare, { row: 20, rows: 5, column: 100, columns: 20 });
  const drawn = partInSight(layout, count, seen);
  assert.deepEqual(drawn, { row: 17, rows: 11, column: 90, columns: 40 });
  assert(holds(drawn, bare));
  assert(!holds(drawn, partInSight(layout, count, { ...seen, left: 1101 }, 0)));
  const corner = partInSight(layout, count, { ...seen, left: 2900, top: 1950 });
  assert.deepEqual([corner.row + corner.rows, corner.column + corner.columns], [100, 300]);
});

test("cells share a point exactly with those that they are pooled with", () => {
  const [rows, columns, height, width] = [50, 70, 17, 70];
  const part = { row: 10, rows, column: 5, columns };
  const layout = { cellHeight: height / rows / 2, cellWidth: (1.5 * width) / columns / 2 };
  for (let row = 10; row < 60; row++) {
    const shared = sharingPoint({ row, column: 30 }, part, layout, 2);
    assert.deepEqual([shared.column, shared.columns], [30, 1]);
    const point = (/** @type {number} */ query) => Math.floor(((query - 10) * height) / rows);
    const own = Array.from({ length: rows }, (_, i) => i + 10).filter(
      (q) => point(q) === point(row),
    );
    assert.deepEqual([shared.row, shared.rows], [own[0], own.length]);
  }
});

test("a sink among many keys is as wide as can be seen, and still no key", () => {
  const sinks = [Float32Array.of(0.25)];
  const data = new Float32Array(130).fill(0.75 / 130);
  const weights = { layers: 1, heads: 1, queries: 1, keys: 130, data, sinks };
  assert.equal(sinkColumns(weights), 3);
  const { values, keys } = shownMatrix(weights, "encoder_self", { layer: 0, head: 0 });
  assert.equal(keys, 133);
  assert.deepEqual([...values.subarray(0, 3)], [0.25, 0.25, 0.25]);
  assert(values[3] < 0.01 && values.length === 133);
  assert.equal(sinkColumns({ ...weights, keys: 12 }), 1, "of few one, as ever");
});

test("a part of a matrix is pooled as if it stood alone", () => {
  const values = Float32Array.from({ length: 36 }, (_, i) => i / 36);
  const head = /** @type {const} */ ({ queries: 6, keys: 6, kind: "cross" });
  const part = { row: 2, rows: 2, column: 1, columns: 4 };
  const shown = pooled(values, head, { width: 2, height: 1 }, part);
  assert.deepEqual([...shown], [...Float32Array.of((3 * 6 + 2) / 36, (3 * 6 + 4) / 36)]);
});

test("the strongest five words stay in sight: those out of it at the ends, and what these hide, too", () => {
  const words = Array.from({ length: 40 }, (_, i) => ({ x: 50 * i - 1000, width: 40 }));
  const rays = [3, 5, 21, 22, 30, 39].map((key, i) => ({
    ...{ head: 0, query: 30, key, weight: key === 22 ? 0.01 : 0.5 - i / 100 },
  }));
  const far = farWords(rays, words, { view: 600, size: 90 });
  // 21 stands at 50, where what is far to the left takes its place.
  assert.deepEqual(
    far.left.map(({ key, x }) => [key, x]),
    [
      [3, 45],
      [5, 139],
      [21, 233],
    ],
  );
  assert.deepEqual(
    far.right.map(({ key, x }) => [key, x]),
    [[39, 555]],
  );
  const near = farWords(
    rays,
    words.map(({ x }) => ({ x: x / 10 + 300, width: 4 })),
    { view: 600, size: 90 },
  );
  assert.deepEqual(near, { left: [], right: [] });
});
