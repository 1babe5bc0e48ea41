import assert from "node:assert/strict";
import test from "node:test";
import { startIn } from "../../assets/lessons/start_in_text.js";
import { makeTrace } from "./traces.js";

/**
 * One head over six words, each of which may see those before it.
 *
 * @param {number[][]} rows
 * @param {Partial<import("../../assets/trace/trace.js").Trace>} given
 */
function decoder(rows, given) {
  const size = rows.length;
  const data = Float32Array.from(
    rows.flatMap((row) => [...row, ...Array(size - row.length).fill(0)]),
  );
  const decoder_self = { layers: 1, heads: 1, queries: size, keys: size, data };
  const tgt_in = ["␣a", "␣b", "␣c", "␣d", "␣e", "␣f"].slice(0, size);
  const tgt_ids = tgt_in.map((_, i) => i);
  return makeTrace({ tgt_ids, tgt_in, src: [], weights: { decoder_self }, ...given });
}

test("without a card the first minute is at the row that looks most at another word than its own or the first", () => {
  const rows = [
    [1],
    [0.1, 0.9],
    [0, 0.9, 0.1],
    [0.9, 0, 0, 0.1],
    [0, 0.3, 0.6, 0, 0.1],
    [1, 0, 0, 0, 0, 0],
  ];
  const minute = startIn(decoder(rows, { source: "a b c", prefix_length: 2 }));
  // Row 3 is the prompt's, and looks more.
  assert.deepEqual(minute, {
    start: { source: "a b c", step: 5, word: "c", elsewhere: "d", found: true },
    places: { step: 4, word: [2], elsewhere: [3] },
  });
});

test("nobody is asked what the end is written by", () => {
  const rows = [[1], [0.5, 0.5], [0, 0.7, 0.3], [0, 0.4, 0.3, 0.3], [0, 0.1, 0.8, 0.1, 0]];
  const trace = decoder(rows, { prefix_length: 1, tgt_out: ["b", "c", "d", "e", "</s>"] });
  assert.equal(startIn(trace)?.start.step, 4);
});

test("where no row has two such words there is no first minute", () => {
  assert.equal(startIn(decoder([[1], [0.5, 0.5], [0.1, 0.8, 0.1]], { prefix_length: 0 })), null);
});
