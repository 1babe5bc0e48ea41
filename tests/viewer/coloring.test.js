import assert from "node:assert/strict";
import test from "node:test";
import { parseColoring } from "../../assets/draw/coloring.js";

test("colours outside what can be chosen are no colours", () => {
  const grey = { scale: "grey", gamma: 3, full: 0.05, rank: false };
  assert.deepEqual(parseColoring("grey-3-0.05"), grey);
  for (const text of ["grey-3.1-1", "grey-1-0.01", "grey-0.1-1", "grey--1-1", "grey-1e0-1", ""]) {
    assert.equal(parseColoring(text), null, text);
  }
});
