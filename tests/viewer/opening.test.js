import assert from "node:assert/strict";
import test from "node:test";
import { aligningRow, DEFAULT_WORDS } from "../../assets/questions/why/settings.js";
import { openingStep } from "../../assets/trace/opening.js";
import { makeTrace } from "./traces.js";

const WORDS = { tgt_out: ["我", "爱", "你", "。", "</s>"], tgt_ids: [1, 2, 3, 4, 5] };

test("a trace opens where its representative head looks at one word, not at punctuation", () => {
  const heads = { cross: { head: "L1H1", role: "aligns" } };
  const trace = makeTrace({ ...WORDS, heads });
  const weights = trace.weights.cross?.data ?? new Float32Array();
  weights[0] = 1; // <s> → 我, at a word: the first step, which reads <s>
  weights[2 * 3 + 1] = 0.8; // 爱 → 你, at a word
  weights[1 * 3 + 2] = 0.9; // 我 → 爱, at </s>
  weights[3 * 3 + 1] = 0.95; // 你 → 。, at a word, but what it predicts is none
  assert.equal(openingStep(trace), 2);
});

test("an encoder's text opens at a word, or at what was hidden of it", () => {
  const src = ["[CLS]", "␣a", "[SEP]"];
  const { encoder_self } = makeTrace().weights;
  const read = { src, tgt_ids: [], tgt_in: [], tgt_out: [], weights: { encoder_self } };
  const trace = makeTrace({ ...read, words: { src: [null, 0, null] } });
  assert.equal(openingStep(trace), 1);
  const hidden = [{ at: 2, token: "x", id: 7 }];
  assert.equal(openingStep({ ...trace, hidden }), 2);
});

test("of several clear rows it opens at the middle one, where half of the picture is drawn", () => {
  const tokens = { tgt_out: [..."一二三四五。"], tgt_ids: [1, 2, 3, 4, 5, 6] };
  const trace = makeTrace({ ...tokens, heads: { cross: { head: "L1H1", role: "aligns" } } });
  const weights = trace.weights.cross?.data ?? new Float32Array();
  weights[1 * 3] = 1;
  weights[2 * 3 + 1] = 0.8;
  weights[3 * 3 + 1] = 0.95;
  weights[4 * 3] = 0.99;
  assert.equal(openingStep(trace), 3);
});

test("a trace of one word, of none, or of heads that nobody measured opens all the same", () => {
  const heads = { cross: { head: "L1H1", role: "aligns" } };
  assert.equal(openingStep(makeTrace({ heads, tgt_out: ["我", "。"], tgt_ids: [1, 2] })), 0);
  assert.equal(openingStep(makeTrace({ heads, tgt_out: ["。", "</s>"], tgt_ids: [1, 2] })), 1);
  assert.equal(openingStep(makeTrace(WORDS)), 4);
});

test("without cross-attention it opens in the middle of what the model wrote itself", () => {
  const trace = makeTrace({ ...WORDS, heads: { decoder_self: { head: "L1H1", role: "itself" } } });
  trace.weights = { decoder_self: trace.weights.decoder_self };
  assert.equal(openingStep(trace, 1), 2);
});

test("a word's links are taken from the row that the shown weights were measured by", () => {
  const opening = { head: "L1.mean", row: "predicts", meets: 0.8, other: 0.7 };
  const heads = { cross: { head: "L1H1", role: "aligns", row: "reads", opening } };
  const trace = makeTrace({ ...WORDS, heads });
  assert.equal(aligningRow(trace, { layer: 0, head: "mean" }, DEFAULT_WORDS), "predicts");
  assert.equal(aligningRow(trace, { layer: 0, head: 0 }, DEFAULT_WORDS), "reads");
  assert.equal(aligningRow(trace, { layer: 0, head: "mean" }, { row: "reads" }), "reads");
});
