import assert from "node:assert/strict";
import test from "node:test";
import { beyondWords, errorRate, goldOf, parseGold } from "../../assets/trace/gold.js";
import { makeTrace } from "./traces.js";

test("links are read as Pharaoh writes them, and a sure one is possible", () => {
  const read = parseGold("  0-0 1?2\t3p4 0-0 0?0 ");
  assert.deepEqual(read, {
    gold: {
      sure: [[0, 0]],
      possible: [
        [0, 0],
        [1, 2],
        [3, 4],
      ],
    },
  });
  for (const bad of ["0", "0:0", "-1-0", "0-0-0", "12345-0", "<b>"])
    assert.deepEqual(parseGold(`0-0 ${bad}`), { bad });
});

test("the error rate is Och and Ney's, worked out by hand", () => {
  const read = parseGold("0-0 1-1 2?2");
  assert("gold" in read);
  const { gold } = read;
  // |A∩S| = 1, |A∩P| = 2, |A| = 3, |S| = 2.
  const links = /** @type {[number, number][]} */ ([
    [0, 0],
    [2, 2],
    [2, 1],
  ]);
  assert.equal(errorRate(links, gold), 1 - 3 / 5);
  assert.equal(errorRate(gold.sure, gold), 0);
  assert.equal(errorRate([[5, 5]], gold), 1);
  assert.equal(beyondWords(gold, 3, 3), null);
  assert.deepEqual(beyondWords(gold, 3, 2), [2, 2]);
});

test("they belong to one sentence and one translation of it", () => {
  assert.equal(goldOf(makeTrace({})), goldOf(makeTrace({})));
  assert(goldOf(makeTrace({ tgt_ids: [5, 9, 2] })) !== goldOf(makeTrace({})));
});
