/** Reports of the checker: what is read of a file that is one, and what is said of one that is none. */

import assert from "node:assert/strict";
import test from "node:test";
import { readDropped } from "../../assets/state/server/dropped.js";
import { readReport } from "../../assets/trace/report.js";

/** @typedef {Record<string, any>} Values */

const FINDING = { code: "future_leak", severity: "error", sentence: "s", evidence: "e", hint: "h" };
const SEEN = { side: "tgt", tokens: [1, 5], positions: [1, 5, 7], change: [[1, 0], [1, 2], [0, 3]] }; // biome-ignore format: a matrix
const RECORDED = { place: "decoder.0", kind: "cross", layer: 1, weights: [[[1, 0]], [[0.5, 0.5]]] };

/** @returns {Values} */
function saved() {
  return {
    ...{ format: "headlight-report", version: 1, model: "Tiny", language: "zh" },
    ...{ findings: [FINDING], unknown: ["scale_missing"], problems: ["it broke"] },
    ...{ reasons: { scale_missing: "too faint" }, notes: ["Did you mean pad_id=1?"] },
    ...{ seen: [SEEN], attention: [RECORDED] },
  };
}

test("a report is read, and of its fields those that are known", () => {
  const report = readReport({ ...saved(), later: "<img>", findings: [{ ...FINDING, line: 7 }] });
  assert.deepEqual(Object.keys(report).sort(), [
    ...[
      "examined",
      "findings",
      "headline",
      "heads",
      "language",
      "model",
      "notes",
      "problems",
      "reasons",
      "seen",
      "unknown",
    ],
  ]);
  assert.deepEqual(report.findings, [{ ...FINDING, cost: "", seen: null, head: null }]);
  assert.deepEqual([...report.reasons], [["scale_missing", "too faint"]]);
  assert.deepEqual(report.notes, ["Did you mean pad_id=1?"]);
  assert.deepEqual(report.seen[0].change, {
    ...{ rows: 3, columns: 2, values: Float32Array.of(1, 0, 1, 2, 0, 3) },
  });
  assert.deepEqual(
    report.heads.map(({ head, weights }) => [
      head,
      weights.rows,
      weights.columns,
      ...weights.values,
    ]),
    [
      [1, 1, 2, 1, 0],
      [2, 1, 2, 0.5, 0.5],
    ],
  );
});

test("a finding's picture is one that the report has, or none", () => {
  /** @type {(picture: Values) => (number | null)[]} */
  const places = (picture) => {
    const [{ seen, head }] = readReport({
      ...saved(),
      findings: [{ ...FINDING, picture }],
    }).findings;
    return [seen, head];
  };
  assert.deepEqual(places({ seen: 0 }), [0, null]);
  assert.deepEqual(places({ head: 1 }), [null, 1]);
  assert.deepEqual(places({ seen: 1, head: 2 }), [null, null]);
  assert.throws(() => places({ head: -1 }), { message: "file_field" });
});

test("a report that is a page is read as its JSON", async () => {
  const values = JSON.stringify(saved()).replaceAll("<", "\\u003c");
  const script = `<script type="application/json" id="headlight-report">${values}</script>`;
  const page = new Blob([`<!doctype html>\n<html><head>${script}</head></html>`]);
  const read = await readDropped(page);
  assert.deepEqual(read, await readDropped(new Blob([JSON.stringify(saved())])));
});

test("what a report may lack, it may lack; texts stay as they are", () => {
  const { problems: _, seen: __, attention: ___, language: ____, ...lacking } = saved();
  const { reasons: _____, notes: ______, ...bare } = lacking;
  const sentence = "<img src=x onerror=alert(1)>";
  const report = readReport({ ...bare, findings: [{ ...FINDING, sentence }] });
  assert.deepEqual([report.problems, report.seen, report.heads, report.notes], [[], [], [], []]);
  assert.equal(report.reasons.size, 0);
  assert.equal(report.language, "en");
  assert.equal(report.findings[0].sentence, sentence);
});

test("weights below 0, which a mask added after the softmax makes, are weights", () => {
  const report = readReport({ ...saved(), attention: [{ ...RECORDED, weights: [[[-1e9, 1]]] }] });
  assert.deepEqual([...report.heads[0].weights.values], [-1e9, 1]);
});

/** @type {(change: Values) => Values} */
const seen = (change) => ({ seen: [{ ...SEEN, ...change }] });
/** @type {(change: Values) => Values} */
const recorded = (change) => ({ attention: [{ ...RECORDED, ...change }] });
/** @type {(change: Values) => Values} */
const finding = (change) => ({ findings: [{ ...FINDING, ...change }] });

/** @type {[field: string, change: Values][]} */
const WRONG = [
  ["findings", { findings: undefined }],
  ["findings", { findings: {} }],
  ["findings", { findings: [null] }],
  ["findings", { findings: ["future_leak"] }],
  ["findings", { findings: Array(201).fill(FINDING) }],
  ["code", finding({ code: 7 })],
  ["severity", finding({ severity: "constructor" })],
  ["severity", finding({ severity: undefined })],
  ["sentence", finding({ sentence: "x".repeat(20_001) })],
  ["evidence", finding({ evidence: ["e"] })],
  ["hint", finding({ hint: { toString: "h" } })],
  ["unknown", { unknown: undefined }],
  ["unknown", { unknown: "scale_missing" }],
  ["reasons", { reasons: ["why"] }],
  ["scale_missing", { reasons: { scale_missing: 7 } }],
  ["notes", { notes: "one" }],
  ["problems", { problems: [{}] }],
  ["model", { model: ["Tiny"] }],
  ["language", { language: 'en" onload="' }],
  ["language", { language: null }],
  ["seen", { seen: SEEN }],
  ["side", seen({ side: "memory" })],
  ["tokens", seen({ tokens: [1.5, 5] })],
  ["change", seen({ tokens: [1] })],
  ["change", seen({ positions: [1] })],
  ["change", seen({ change: [[1, 0], [1], [0, 3]] })],
  ["change", seen({ change: [[1, "0"], [1, 2], [0, 3]] })], // biome-ignore format: a matrix
  ["change", seen({ change: [[1, -1], [1, 2], [0, 3]] })], // biome-ignore format: a matrix
  ["change", seen({ tokens: [], positions: [], change: [] })],
  ["attention", { attention: { 0: RECORDED } }],
  ["kind", recorded({ kind: "__proto__" })],
  ["layer", recorded({ layer: "1" })],
  ["weights", recorded({ weights: [[[1, Number.POSITIVE_INFINITY]]] })],
  ["weights", recorded({ weights: [[[1, 1e300]]] })],
  ["weights", recorded({ weights: [[[1, 1e-300]]] })],
  ["weights", recorded({ weights: [[[null]]] })],
  ["weights", recorded({ weights: [[]] })],
  ["weights", recorded({ weights: [[[]]] })],
  ["weights", recorded({ weights: [0.5] })],
  ["weights", recorded({ weights: [[Array(513).fill(0)]] })],
  ["weights", recorded({ weights: [Array(513).fill([0])] })],
  ["attention", { attention: Array(2).fill({ ...RECORDED, weights: Array(4000).fill([[1]]) }) }],
];

test("whatever contradicts the format is refused by the field that does", () => {
  for (const [field, change] of WRONG) {
    const read = () => readReport({ ...saved(), ...change });
    const text = JSON.stringify(change).slice(0, 100);
    const wrong = { message: "file_field", problem: { code: "file_field", details: { field } } };
    assert.throws(read, wrong, text);
  }
  assert.throws(() => readReport({ ...saved(), version: 2 }), { message: "file_version" });
  assert.throws(() => readReport({ ...saved(), version: "1" }), { message: "file_version" });
});

test("a dropped file is a report if it says so, and nothing else is", async () => {
  /** @type {(values: Values | string) => Promise<string>} */
  const outcome = async (values) => {
    const text = typeof values === "string" ? values : JSON.stringify(values);
    try {
      return Object.keys(await readDropped(new Blob([text]))).join();
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
  };
  const text = JSON.stringify(saved());
  assert.equal(await outcome(text), "report");
  assert.equal(await outcome(text.slice(0, -9)), "file_broken");
  assert.equal(await outcome(text.replace("0.5", "1e999")), "file_field");
  assert.equal(await outcome(text.replace("0.5", "NaN")), "file_broken"); // no JSON
  assert.equal(await outcome({ ...saved(), format: "headlight-trace" }), "file_unknown");
  assert.equal(await outcome({ ...saved(), schema: "headlight-trace" }), "file_field");
  assert.equal(await outcome('{"__proto__": {"format": "headlight-report"}}'), "file_unknown");
});
