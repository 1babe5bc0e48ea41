/** Saved traces: what is read of a file that is one, and what is said of one that is none. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import test from "node:test";
import { readDropped } from "../../assets/state/server/dropped.js";
import { effectOn } from "../../assets/trace/changes.js";
import { Unreadable } from "../../assets/trace/fields.js";
import { readNpz } from "../../assets/trace/npz.js";
import { readTrace } from "../../assets/trace/saved.js";
import { base64Of, bytesOf } from "../../assets/trace/unpack.js";
import { headWeights, isHere, strongestHead } from "../../assets/trace/weights.js";

/** @typedef {Record<string, any>} Values */

/** @type {(numbers: number[], ...shape: number[]) => import("../../assets/trace/unpack.js").PackedArray} */
function packed(numbers, ...shape) {
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  return { shape, dtype: "float32", data: base64Of(bytes) };
}

/** @returns {Values}  of two source tokens, two steps, one layer of one head */
function saved() {
  return {
    ...{ schema: "headlight-trace", version: 1, model: "toy", checkpoint: "ab", source: "I" },
    ...{ translation: "我", src: ["I", "</s>"], tgt_in: ["<s>", "我"], tgt_out: ["我", "</s>"] },
    ...{ src_ids: [5, 2], tgt_ids: [6, 2], prefix_length: 0, stop_reason: "eos" },
    ...{ interventions: [], sampling: null, heads: {} },
    glosses: { src: ["我", null], tgt: ["I", null] },
    candidates: [[{ token: "我", id: 6, probability: 0.9, drawn: null }], []],
    encoder_self: packed([0.25, 0.75, 1, 0], 1, 1, 2, 2),
    decoder_self: packed([1, 0, 0.5, 0.5], 1, 1, 2, 2),
    cross: packed([0.5, 0.5, 0, 1], 1, 1, 2, 2),
  };
}

test("a saved trace is read, and of its fields those that are known", () => {
  const trace = readTrace({ ...saved(), unknown: "<img>", later: { version: 2 } });
  assert.deepEqual([...(trace.weights.encoder_self?.data ?? [])], [0.25, 0.75, 1, 0]);
  assert.equal(trace.weights.cross?.queries, 2);
  assert.equal(trace.source, "I");
  assert.equal("unknown" in trace, false);
  assert.deepEqual(trace.glosses, { src: ["我", null], tgt: ["I", null] });
});

test("a trace of a first version, and of a decoder alone, is one too", () => {
  const { checkpoint: _, sampling: __, heads: ___, glosses: ____, ...first } = saved();
  assert.equal(readTrace(first).checkpoint, "");
  assert.equal(readTrace(first).glosses, null);
  const alone = { ...first, src: [], src_ids: [], encoder_self: null, cross: null };
  assert.deepEqual(Object.keys(readTrace(alone).weights), ["decoder_self"]);
});

test("rows of a head that was switched off are 0, and no others", () => {
  const cross = packed([0, 0, 0, 0], 1, 1, 2, 2);
  for (const change of ["cross.L1H1=zero", "cross.L1=zero", "cross=zero"]) {
    assert(readTrace({ ...saved(), cross, interventions: [change] }), change);
  }
  for (const change of ["cross.L1H1=uniform", "encoder_self=zero"]) {
    const values = { ...saved(), cross, interventions: [change] };
    assert.throws(() => readTrace(values), { message: "file_sums" }, change);
  }
});

test("nor of a row, but that one's", () => {
  for (const row of [1, 2]) {
    const cross = packed(row === 1 ? [0, 0, 0, 1] : [0, 1, 0, 0], 1, 1, 2, 2);
    const values = { ...saved(), cross };
    assert(readTrace({ ...values, interventions: [`cross@${row}=zero`] }));
    for (const change of [`cross@${3 - row}=zero`, `cross@${row}=aim:1`, "cross=zero"]) {
      const wrong = { ...values, interventions: [change] };
      assert.throws(() => readTrace(wrong), { message: "file_sums" }, change);
    }
  }
});

const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;

/** @type {[code: string, change: Values][]} */
const WRONG = [
  ["file_version", { version: 3 }],
  ["file_version", { version: undefined }],
  ["file_sums", { cross: packed([0.5, 0.4, 0, 1], 1, 1, 2, 2) }],
  ["file_sums", { encoder_self: packed([0.25, 0.751, 1, 0], 1, 1, 2, 2) }],
  ["file_values", { cross: packed([1.5, -0.5, 0, 1], 1, 1, 2, 2) }],
  ["file_values", { cross: packed([nan, 1, 0, 1], 1, 1, 2, 2) }],
  ["file_values", { cross: packed([infinite, 0, 0, 1], 1, 1, 2, 2) }],
  ["file_values", { cross: { shape: [1, 1, 2, 2], dtype: "float16", data: "AHwAAAAAADw=" } }],
  ["file_future", { decoder_self: packed([0.5, 0.5, 0.5, 0.5], 1, 1, 2, 2) }],
  ["file_shape", { cross: packed([0.5, 0.5, 0, 1], 1, 2, 1, 2) }],
  ["file_shape", { cross: packed([0.5, 0.5, 0, 1], 2, 2) }],
  ["file_shape", { cross: { ...packed([0.5, 0.5, 0], 1, 1, 2, 2) } }],
  ["file_shape", { cross: packed([], 0, 1, 2, 2) }],
  ["file_shape", { cross: { ...packed([1], 1, 1, 2, 2), shape: [1e9, 1e9, 2, 2] } }],
  ["file_shape", { cross: { ...packed([1], 1, 1, 2, 2), data: "!" } }],
  ["file_broken", { cross: { ...packed([1], 1, 1, 2, 2), data: "!".repeat(24) } }],
  ["file_field", { cross: { shape: [1, 1, 2, 2], dtype: "int8", data: "" } }],
  ["file_field", { cross: null }],
  ["file_field", { interventions: Array(501).fill("cross=zero") }],
  ["file_field", { decoder_self: null }],
  ["file_field", { src: ["I", 7] }],
  ["file_field", { src: "I" }],
  ["file_field", { src: ["x".repeat(9000), ...Array(20).fill("y".repeat(9000))] }],
  ["file_field", { src: Array(2001).fill("I") }],
  ["file_field", { src_ids: Array(2001).fill(1) }],
  ["file_field", { glosses: { src: Array(2001).fill(null), tgt: [] } }],
  ["file_field", { candidates: [Array(200_001).fill({ token: "我", id: 6, probability: 0 }), []] }],
  ["file_field", { candidates: [{}, []] }],
  ["file_field", { cross: { ...packed([1], 1, 1, 2, 2), shape: Array(7).fill(1) } }],
  ["file_field", { encoder_self: packed([1, 0, 1, 0, 1, 0, 1, 0], 1, 2, 2, 2) }],
  ["file_field", { tgt_in: ["<s>"] }],
  ["file_field", { tgt_ids: [1.5, 2] }],
  ["file_field", { candidates: [[{ token: "我", id: 6, probability: 2 }], []] }],
  ["file_field", { candidates: [[{ token: {}, id: 6, probability: 0.5 }], []] }],
  ["file_field", { prefix_length: 3 }],
  ["file_field", { stop_reason: "constructor" }],
  ["file_field", { sampling: { temperature: "hot", top_k: 0, seed: 1 } }],
  ["file_field", { heads: { cross: { head: 3, role: "aligns" } } }],
  ["file_field", { heads: { cross: { head: "L1H1", role: "aligns", opening: { head: 3 } } } }],
  ["file_field", { glosses: { src: ["我"], tgt: ["I", null] } }],
  ["file_field", { glosses: { src: ["我", null], tgt: ["I", 3] } }],
  ["file_field", { glosses: ["我", "I"] }],
  ["file_field", { source: "x".repeat(20_001) }],
  ["file_field", { model: undefined }],
];

test("whatever contradicts the format is refused by what is wrong with it", () => {
  for (const [code, change] of WRONG) {
    const values = { ...saved(), ...change };
    assert.throws(() => readTrace(values), { message: code }, JSON.stringify(change));
  }
});

/** @type {(run: () => unknown) => Promise<number>}  how often functions of the viewer are called */
async function calls(run) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true });
  run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const ours = result.filter(({ url }) => url.includes("/assets/"));
  return ours.flatMap(({ functions }) => functions).reduce((sum, f) => sum + f.ranges[0].count, 0);
}

/** @type {(heads: number, interventions: string[]) => Values}  each head looks at one token */
function wide(heads, interventions) {
  const numbers = Array(heads).fill([1, 0, 1, 0]).flat();
  const weights = packed(numbers, 1, heads, 2, 2);
  const kinds = { encoder_self: weights, decoder_self: weights, cross: weights };
  return { ...saved(), ...kinds, interventions };
}

test("five hundred changes are not asked about row by row, nor for each head that is drawn", async () => {
  const changes = Array.from({ length: 500 }, (_, i) => `cross.L1H${i + 1}@9=zero`);
  const values = wide(1000, changes);
  // A weight is looked at once: 6,000 rows, 500 changes of three kinds.
  assert((await calls(() => readTrace(values))) < 100_000);
  const heads = Array.from({ length: 1000 }, (_, head) => head);
  const effects = () =>
    heads.map((head) => effectOn(changes, { kind: "cross", layer: 0, head, row: 8 }));
  assert((await calls(effects)) < 1_000_000);
  assert.deepEqual(effects().slice(498, 502), ["zero", "zero", null, null]);
});

test("heads that tell something are of our kinds", () => {
  const cross = { head: "L1H1", role: "aligns" };
  assert(readTrace({ ...saved(), heads: { cross } }));
  const heads = { cross, ["x".repeat(99)]: 7 };
  assert.throws(() => readTrace({ ...saved(), heads }), { message: "file_field" });
});

// numpy.savez_compressed and numpy.savez, NumPy 2: labels = b'{"a": "␣é"}' as uint8, cross =
// arange(6) as float32 of shape (1, 1, 2, 3).
const COMPRESSED =
  "UEsDBC0AAAAIAAAAIQBx9Ar8//////////8KABQAbGFiZWxzLm5weQEAEACOAAAAAAAAAFQAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgXlNqqK6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkahiY6mjoKtQrkA65qpUQlKwWlRxMWH16pVAsAUEsDBC0AAAAIAAAAIQDdbFpn//////////8JABQAY3Jvc3MubnB5AQAQAJgAAAAAAAAAWQAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBuk2airqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RqGOgpAZKSjYKypo1CrQAbgYgCDBnsg4QBEQNwAxAscAFBLAQItAy0AAAAIAAAAIQBx9Ar8VAAAAI4AAAAKAAAAAAAAAAAAAACAAQAAAABsYWJlbHMubnB5UEsBAi0DLQAAAAgAAAAhAN1sWmdZAAAAmAAAAAkAAAAAAAAAAAAAAIABkAAAAGNyb3NzLm5weVBLBQYAAAAAAgACAG8AAAAkAQAAAAA=";
const STORED =
  "UEsDBC0AAAAAAAAAIQBx9Ar8//////////8KABQAbGFiZWxzLm5weQEAEACOAAAAAAAAAI4AAAAAAAAAk05VTVBZAQB2AHsnZGVzY3InOiAnfHUxJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDE0LCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAp7ImEiOiAi4pCjw6kifVBLAwQtAAAAAAAAACEA3WxaZ///////////CQAUAGNyb3NzLm5weQEAEACYAAAAAAAAAJgAAAAAAAAAk05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDEsIDEsIDIsIDMpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAACAPwAAAEAAAEBAAACAQAAAoEBQSwECLQMtAAAAAAAAACEAcfQK/I4AAACOAAAACgAAAAAAAAAAAAAAgAEAAAAAbGFiZWxzLm5weVBLAQItAy0AAAAAAAAAIQDdbFpnmAAAAJgAAAAJAAAAAAAAAAAAAACAAcoAAABjcm9zcy5ucHlQSwUGAAAAAAIAAgBvAAAAnQEAAAAA";

test("NumPy's archives are read, compressed or not", async () => {
  for (const archive of [COMPRESSED, STORED]) {
    const arrays = await readNpz(new Blob([bytesOf(archive)]), 1000);
    const [labels, cross] = [arrays.get("labels"), arrays.get("cross")];
    assert.equal(new TextDecoder().decode(labels?.bytes), '{"a": "␣é"}');
    assert.deepEqual([cross?.type, cross?.shape], ["<f4", [1, 1, 2, 3]]);
    assert.deepEqual(
      [...new Float32Array(new Uint8Array(cross?.bytes ?? []).buffer)],
      [0, 1, 2, 3, 4, 5],
    );
  }
});

test("an archive of more arrays than anybody writes is refused unread", async () => {
  const bytes = bytesOf(STORED);
  // How many there are is told 12 bytes before the end.
  new DataView(bytes.buffer).setUint16(bytes.length - 12, 1001, true);
  await assert.rejects(readNpz(new Blob([bytes]), 1e9), /1001 arrays/);
});

test("an archive that claims too much, or is cut anywhere, is refused", async () => {
  for (const archive of [COMPRESSED, STORED]) {
    const bytes = bytesOf(archive);
    await assert.rejects(readNpz(new Blob([bytes]), 200));
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(readNpz(new Blob([bytes.slice(0, length)]), 1000), `${length} bytes`);
    }
  }
});

test("weights of a large archive are kept as float16, and widened when they are looked at", async () => {
  const halved = await readNpz(new Blob([bytesOf(COMPRESSED)]), 1000, 0);
  const numbers = [0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500];
  const bytes = new Uint8Array(halved.get("cross")?.bytes ?? []);
  assert.deepEqual([...new Uint16Array(bytes.buffer)], numbers);
  const halves = (/** @type {number[]} */ bits, /** @type {number[]} */ ...shape) => ({
    ...{ shape, dtype: "float16", data: new Uint8Array(Uint16Array.from(bits).buffer) },
  });
  const second = { schema: "headlight-trace", version: 2, src: ["a", "b"] };
  // 0.5, 0.25, 0.75, and 1: two heads, no attention, one head.
  const two = halves([0x3800, 0x3800, 0x3400, 0x3a00, 0x3c00, 0, 0, 0x3c00], 2, 2, 2);
  const one = halves([0x3800, 0x3800, 0x3800, 0x3800], 1, 2, 2);
  const trace = readTrace({ ...second, encoder_self: [two, null, one] });
  const weights = trace.weights.encoder_self;
  assert(weights);
  const at = (/** @type {any} */ layer, /** @type {any} */ number) => [
    ...headWeights(weights, { layer, head: number }),
  ];
  assert.deepEqual(at(0, 0), [0.5, 0.5, 0.25, 0.75]);
  assert.deepEqual(at(2, 0), [0.5, 0.5, 0.5, 0.5]);
  assert.deepEqual(at(0, "max"), [1, 0.5, 0.25, 1]);
  const strongest = { layer: 0, head: 1, weight: 1 };
  assert.deepEqual(strongestHead(weights, 0, 0, null), strongest);
  assert.equal(isHere(weights, { layer: 1, head: 0 }), false);
  const whole = halves([0x3800, 0x3800, 0x3800, 0x3800, 0x3c00, 0, 0, 0x3c00], 2, 1, 2, 2);
  const alike = readTrace({ ...second, encoder_self: whole }).weights.encoder_self;
  assert(alike);
  assert.deepEqual([...headWeights(alike, { layer: 1, head: 0 })], [1, 0, 0, 1]);
  const wrong = halves([0x3800, 0x3800, 0x3800, 0x3800], 1, 1, 2, 3);
  assert.throws(() => readTrace({ ...second, encoder_self: wrong }), { message: "file_shape" });
});

/** @type {(content: string | Uint8Array<ArrayBuffer>) => Promise<string>} */
async function refusal(content) {
  try {
    await readDropped(new Blob([content]));
    return "";
  } catch (error) {
    return error instanceof Unreadable ? error.problem.code : String(error);
  }
}

test("a dropped file is a trace, or what it is not is told", async () => {
  const text = JSON.stringify(saved());
  assert.equal(await refusal(text), "");
  assert.equal(await refusal(`\uFEFF${text}`), "");
  assert.equal(await refusal(text.slice(0, -20)), "file_broken");
  assert.equal(await refusal('{"schema": "headlight-report"}'), "file_unknown");
  assert.equal(await refusal('{"__proto__": {"schema": "headlight-trace"}}'), "file_unknown");
  assert.equal(await refusal("%PDF-1.7"), "file_unknown");
  assert.equal(await refusal("[1, 2]"), "file_unknown");
  assert.equal(await refusal(""), "file_unknown");
  assert.equal(await refusal("<!DOCTYPE html><title>x</title>"), "file_html");
  assert.equal(await refusal(bytesOf(COMPRESSED)), "file_unknown");
  assert.equal(await refusal(bytesOf(COMPRESSED).slice(0, 300)), "file_broken");
  const large = bytesOf(COMPRESSED);
  // In the index that begins 22 + 111 bytes before the end.
  new DataView(large.buffer).setUint32(large.length - 133 + 24, 741e6, true);
  assert.equal(await refusal(large), "file_large");
  assert.equal(await refusal("[".repeat(200_000)), "file_unknown");
  assert.equal(await refusal(`{"a":${"[".repeat(200_000)}`), "file_broken");
  assert.equal(await refusal(`{"a":[${"{},".repeat(500_000)}0]}`), "file_broken");
  assert.equal(await refusal(new Uint8Array(64e6 + 1)), "file_large");
});

/** The cases that `AttentionTrace.load` is asked, too. */
const CASES = JSON.parse(readFileSync(new URL("../data/traces.json", import.meta.url), "utf8"));

/** @type {(text: string, encoding: string) => Uint8Array} */
function encoded(text, encoding) {
  if (encoding === "utf-8") return new TextEncoder().encode(text);
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let i = 0; i < text.length; i++) {
    view.setUint16(2 * i, text.charCodeAt(i), encoding === "utf-16-le");
  }
  return new Uint8Array(view.buffer);
}

/** @type {(text: string, encoding?: string) => Promise<boolean>} */
async function opens(text, encoding = "utf-8") {
  const blob = new Blob([/** @type {BlobPart} */ (encoded(text, encoding))]);
  try {
    return "trace" in (await readDropped(blob));
  } catch (error) {
    assert(error instanceof Unreadable, String(error));
    return false;
  }
}

test("a trace is read or refused as Python does", async () => {
  for (const { what, change, opens: expected } of CASES.changes) {
    const values = Object.entries({ ...CASES.trace, ...change });
    const left = Object.fromEntries(values.filter(([, value]) => value !== "DELETED"));
    assert.equal(await opens(JSON.stringify(left)), expected, what);
  }
  for (const { what, change, opens: expected } of CASES.second_changes) {
    const values = Object.entries({ ...CASES.second, ...change });
    const left = Object.fromEntries(values.filter(([, value]) => value !== "DELETED"));
    assert.equal(await opens(JSON.stringify(left)), expected, `version 2: ${what}`);
  }
  for (const { what, before, encoding, opens: expected } of CASES.files) {
    assert.equal(await opens(before + JSON.stringify(CASES.trace), encoding), expected, what);
  }
  const broken = JSON.stringify({ ...CASES.trace, prefix_length: 0 });
  assert.equal(await opens(broken.replace('"prefix_length":0', '"prefix_length":NaN')), false);
});
