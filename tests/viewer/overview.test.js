import assert from "node:assert/strict";
import test from "node:test";
import { scrolledTo } from "../../assets/draw/beam/scrolled.js";
import { aimShown } from "../../assets/state/aimed.js";
import {
  joinedParts,
  layersWithout,
  tilesIn,
  withJoined,
} from "../../assets/views/panel/overview_grid.js";
import { makeTrace } from "./traces.js";

test("what was chosen stays among the heads until another model comes", () => {
  const joined = joinedParts();
  joined.follow("one", { layer: "mean", head: 2 });
  assert.deepEqual(withJoined(2, joined.layer), [0, 1, "mean"]);
  joined.follow("one", { layer: 1, head: 2 });
  assert.deepEqual(withJoined(2, joined.layer), [0, 1, "mean"]);
  joined.follow("other", { layer: 1, head: "max" });
  assert.deepEqual(
    [withJoined(2, joined.layer), withJoined(2, joined.head)],
    [
      [0, 1],
      [0, 1, "max"],
    ],
  );
  assert.equal(joined.all(), false);
});

test("all means and maxima are unfolded by hand, and stay for every model", () => {
  const joined = joinedParts();
  joined.toggle();
  assert.equal(joined.all(), true);
  joined.follow("other", { layer: 0, head: 0 });
  assert.deepEqual(withJoined(3, joined.head), [0, 1, 2, "mean", "max"]);
  joined.toggle();
  assert.deepEqual(withJoined(3, joined.head), [0, 1, 2]);
});

test("tiles share the grid's room evenly, four pixels apart", () => {
  assert.deepEqual(tilesIn(204, 100, [0], [0, 1]), [
    { layer: 0, head: 0, left: 0, top: 0, width: 100, height: 100 },
    { layer: 0, head: 1, left: 104, top: 0, width: 100, height: 100 },
  ]);
});

test("a layer without heads leaves a gap; means of layers leave none", () => {
  const { cross } = makeTrace().weights;
  assert(cross);
  const ragged = { ...cross, layers: 2, heads: 4, counts: [4, 0] };
  assert.deepEqual(layersWithout(ragged, [0, 1, "mean"]), [1]);
  assert.deepEqual(layersWithout(cross, [0, 1, "mean"]), []);
});

test("rows scroll so that a lamp and its word are seen, if both fit; else the lamp", () => {
  const rows = { view: 100, whole: 500, scrolled: 0 };
  const at = (/** @type {number} */ x) => ({ x, width: 20 });
  assert.equal(scrolledTo(rows, at(50)), null);
  assert.equal(scrolledTo(rows, at(50), at(60)), null);
  assert.equal(scrolledTo(rows, at(200)), 150);
  assert.equal(scrolledTo(rows, at(200), at(240)), 170);
  assert.equal(scrolledTo(rows, at(200), at(400)), 150, "too far apart");
  assert.equal(scrolledTo(rows, at(495)), 400, "no further than the end");
});

test("of several aims the step's own is told, of the kind that is looked at", () => {
  const trace = makeTrace();
  const interventions = ["decoder_self@2=aim:1", "cross@2=aim:1", "cross@1=aim:2"];
  /** @type {any} */
  const state = { question: { interventions }, trace, kind: "cross", step: 1 };
  const place = (/** @type {any} */ of) => {
    const aim = aimShown(of);
    return aim && [aim.kind, aim.row];
  };
  assert.deepEqual(place(state), ["cross", 1]);
  assert.deepEqual(place({ ...state, kind: "encoder_self" }), ["decoder_self", 1]);
  assert.deepEqual(place({ ...state, step: 0 }), ["cross", 0]);
  assert.deepEqual(place({ ...state, step: 2 }), ["decoder_self", 1], "another step's");
  assert.equal(place({ ...state, question: null }), undefined);
});
