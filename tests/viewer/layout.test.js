import assert from "node:assert/strict";
import test from "node:test";
import { layoutMatrix, mustTurn } from "../../assets/draw/layout.js";

/** As if every character were half as wide as it is high. */
const measure = (/** @type {string} */ text, /** @type {number} */ font) =>
  (text.length * font) / 2;

/** @type {import("../../assets/draw/layout.js").Room} */
const ROOM = { width: 400, height: Number.POSITIVE_INFINITY, zoom: 1, type: "normal" };

/** @type {(queries: number, keys: number, token: string, room?: Partial<typeof ROOM>) => import("../../assets/draw/layout.js").Layout} */
function layOut(queries, keys, token, room) {
  const rows = ["reads", "predicts"].map((heading) => [heading, ...Array(queries).fill(token)]);
  return layoutMatrix({ ...ROOM, ...room }, rows, Array(keys).fill(token), measure);
}

test("a matrix and its labels fit their panel, unless its cells were too small to read", () => {
  for (const keys of [1, 2, 5, 10, 20, 44]) {
    const { cellWidth, cellHeight, rowLabel, scrolls, everyRow } = layOut(keys, keys, "␣river");
    const fits = 2 * rowLabel + keys * cellWidth <= 400 + 1e-6;
    assert.equal(scrolls, keys > 20);
    assert.equal(fits, !scrolls, `${keys} keys`);
    assert(Math.min(cellWidth, cellHeight) >= 13, `${keys} keys`);
    assert.equal(everyRow, 1, "every row has its label");
  }
});

test("a matrix of many tokens fits, however small its cells, and grows square in zooming", () => {
  const room = { width: 840, height: 260, type: /** @type {const} */ ("chief") };
  for (const tokens of [49, 80, 256, 512]) {
    const fit = layOut(tokens, tokens, "␣river", room);
    assert(2 * fit.rowLabel + tokens * fit.cellWidth <= 840, `${tokens} tokens`);
    assert(fit.columnLabel + tokens * fit.cellHeight <= 260, `${tokens} tokens`);
    assert(!fit.scrolls && fit.many);
    for (const every of [fit.everyRow * fit.cellHeight, fit.everyColumn * fit.cellWidth]) {
      assert(every >= fit.font + 2, "labels do not touch");
    }
    const near = layOut(tokens, tokens, "␣river", { ...room, zoom: 16 / fit.cellWidth });
    assert(near.scrolls && Math.abs(near.cellHeight - near.cellWidth) < 0.5, `${tokens} tokens`);
    const most = layOut(tokens, tokens, "␣river", { ...room, zoom: fit.maxZoom });
    assert(most.cellWidth >= 100 && most.cellHeight > 20);
  }
});

test("64 steps of a short source are no strip beside nothing", () => {
  const room = { width: 840, height: 200, type: /** @type {const} */ ("chief") };
  const { cellWidth, cellHeight, scrolls, height } = layOut(64, 8, "I", room);
  assert(8 * cellWidth > 300);
  assert(cellHeight >= 16);
  assert(scrolls);
  assert(height <= 201, "it scrolls in its place");
});

test("names that stand turned leave a low matrix its rows", () => {
  const room = { width: 840, height: 202, type: /** @type {const} */ ("chief") };
  const { scrolls, columnLabel, height } = layOut(38, 38, "<|assistant|>", room);
  assert(scrolls && columnLabel > 80);
  assert(height <= 203, "it ends within the window");
});

test("maps of words and layers keep their cells legible, too", () => {
  for (const width of [340, 1080]) {
    const room = { width, height: 640, type: /** @type {const} */ ("map") };
    const { cellWidth, cellHeight, scrolls } = layOut(44, 44, "␣river", room);
    assert(Math.min(cellWidth, cellHeight) >= 12, `${width}: ${cellWidth} × ${cellHeight}`);
    assert.equal(scrolls, width < 1080);
  }
});

test("a row that is lower than wide has its label, too", () => {
  const room = { width: 840, height: 420, type: /** @type {const} */ ("normal") };
  const { cellWidth, cellHeight, everyRow, font } = layOut(37, 37, "I", room);
  assert(cellWidth > cellHeight + 4);
  assert.equal(everyRow, 1);
  assert(font >= 10);
});

test("few tokens get cells of the usual size, more get smaller ones, and none grow again", () => {
  const widths = [2, 5, 8, 12, 20, 40].map((keys) => layOut(keys, keys, "I").cellWidth);
  assert.equal(widths[0], 56);
  for (const [i, width] of widths.slice(1).entries()) assert(width <= widths[i]);
});

test("short labels stand upright, long ones are turned", () => {
  assert.equal(layOut(4, 4, "I").upright, true);
  assert.equal(layOut(4, 4, "␣incomprehensible").upright, false);
  assert.deepEqual([layOut(4, 4, "I").everyRow, layOut(4, 4, "I").everyColumn], [1, 1]);
  const { everyColumn, cellWidth, font } = layOut(44, 44, "I");
  assert(everyColumn * cellWidth >= font + 2, "those that are shown do not touch");
});

test("labels lie over wider cells where low rows leave them room, and rows are low before they scroll", () => {
  /** @type {Partial<typeof ROOM>} */
  const room = { width: 800, height: 180, type: "chief" };
  const low = layOut(11, 8, "␣sleeping", room);
  assert(low.upright);
  assert(!low.scrolls, "the whole matrix is seen");
  assert(low.cellHeight >= 13);
  assert(!layOut(11, 20, "␣sleeping", room).upright, "twenty of them have no room");
  assert(layOut(14, 8, "␣sleeping", room).scrolls);
});

test("only those column labels are turned that are wider than their cells", () => {
  const layout = layoutMatrix(ROOM, [["token", "I"]], ["I", "␣incomprehensible"], measure);
  assert.equal(layout.upright, false);
  const turned = ["I", "␣incomprehensible"].map((label) => mustTurn(label, layout, measure));
  assert.deepEqual(turned, [false, true]);
});

test("a long label among short ones stands above them, and is turned where two lines are not enough", () => {
  /** @type {(...labels: string[]) => [number[] | null, number]} */
  const raised = (...labels) => {
    const { raised, columnLabel } = layoutMatrix(ROOM, [["token", "I"]], labels, measure);
    return [raised, columnLabel];
  };
  const short = ["I", "I", "I"];
  const [columns, height] = raised(...short, "␣computers", "␣computers", ...short);
  assert.deepEqual(columns, [4], "its neighbour has the lower line's room");
  assert(height <= 2.7 * 13);
  assert.equal(raised(...short, ..."123456".split("").map(() => "␣computers"), ...short)[0], null);
  assert.equal(
    raised(...short, ...short, "␣incomprehensible")[0],
    null,
    "it would leave the picture",
  );
  assert.deepEqual(
    raised("␣tomorrow", ..."123456".split("").map(() => "I"))[0],
    [0],
    "the rows' headings stand to its left",
  );
});

test("zooming enlarges the cells up to the largest, and `maxZoom` says how far that is", () => {
  const fit = layOut(60, 60, "I");
  const closer = layOut(60, 60, "I", { zoom: 2 });
  assert.equal(closer.cellWidth, 2 * fit.cellWidth);
  assert.equal(layOut(60, 60, "I", { zoom: 1000 }).cellWidth, fit.cellWidth * fit.maxZoom);
  assert.equal(closer.height, fit.height, "what it takes on the page stays");
  for (const keys of [8, 20, 40]) {
    assert(layOut(keys, keys, "I").maxZoom > 1.25 ** 2, `${keys} keys have more than two stops`);
  }
});

test("a presenter's matrix fits the window's height", () => {
  for (const queries of [3, 9, 20]) {
    const room = { width: 900, height: 500, type: /** @type {const} */ ("large") };
    const { columnLabel, cellHeight } = layOut(queries, 5, "␣love", room);
    assert(columnLabel + queries * cellHeight <= 500 + 1e-6, `${queries} rows`);
  }
});
