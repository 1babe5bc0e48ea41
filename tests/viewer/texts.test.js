import assert from "node:assert/strict";
import test from "node:test";
import { numberText, probabilityText, smallText, weightText } from "../../assets/kit/numbers.js";
import { answering, NO_ANSWER } from "../../assets/state/server.js";
import { isOff } from "../../assets/trace/weights.js";
import { headCsv } from "../../assets/views/export/csv.js";
import { fileName } from "../../assets/views/export/file_name.js";

test("a small probability is not said to be none", () => {
  const said = [1.0, 0.994, 0.005, 0.0049, 1e-9].map(probabilityText);
  assert.deepEqual(said, ["1.00", "0.99", "0.01", "<0.01", "<0.01"]);
});

test("a number has a true minus, unless it rounds to nothing", () => {
  const said = [-1.5, -0.0001, 0, Number.NEGATIVE_INFINITY].map((x) => numberText(x));
  assert.deepEqual(said, ["−1.500", "0.000", "0.000", "−∞"]);
  assert.equal(numberText(-1.25, 1), "−1.3");
});

test("a weight that is not masked is never said to be 0", () => {
  const said = [1, 0.0344, 0.0005, 0.00049, 3e-5, 0].map((weight) => weightText(weight));
  assert.deepEqual(said, ["1.000", "0.034", "0.001", "<0.001", "<0.001", "<0.001"]);
  assert.equal(weightText(0.004, { digits: 2 }), "<0.01");
  assert.deepEqual([0.034, 3.4e-5, 4.9e-4].map(smallText), ["0.034", "3e−5", "5e−4"]);
});

test("the weights of a head that was switched off are 0, and are said to be", () => {
  const values = Float32Array.of(0, 0, 1, 0);
  assert.deepEqual([isOff(values, 0, 2), isOff(values, 1, 2)], [true, false]);
  assert.equal(weightText(0, { off: true }), "0");
});

test("a formula in a table is text: a spreadsheet would compute what starts with one of =+-@", () => {
  const data = new Float32Array(4);
  const weights = { encoder_self: { layers: 1, heads: 1, queries: 2, keys: 2, data } };
  const trace = { src: ['=1+"1"', "-"], tgt_in: [], tgt_out: [], weights };
  const csv = headCsv(trace, "encoder_self", { layer: 0, head: 0 }, (key) => key);
  const lines = ['"axis.queries","\'=1+""1""","-"', '"\'=1+""1""",0,0', '"-",0,0', ""];
  assert.equal(csv, `\uFEFF${lines.join("\r\n")}`);
});

test("a file is named after what it shows, in characters that any disk takes", () => {
  const trace = { model: "en-zh", source: "I love/you: 我?" };
  assert.equal(
    fileName(trace, "svg", "cross", "L3H1"),
    "headlight_en-zh_I-love-you-我_cross_L3H1.svg",
  );
  assert.equal(fileName({ model: "m", source: "///" }, "csv"), "headlight_m.csv");
});

test("a server that is gone, or says nothing, is a problem and no exception", async () => {
  const request = { ask: "page" };
  const gone = answering(() => Promise.reject(new TypeError("Failed to fetch")));
  assert.deepEqual(await gone(request), { error: NO_ANSWER });
  const silent = answering(async () => undefined);
  assert.deepEqual(await silent(request), { error: NO_ANSWER });
  const there = answering(async () => ({ file: "AAAA" }));
  assert.deepEqual(await there(request), { file: "AAAA" });
});
