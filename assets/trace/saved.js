/**
 * A trace out of a file, wherever the file came from: nothing in it is believed before it has been
 * looked at, as `AttentionTrace` looks in Python. docs/trace-format.md describes the fields.
 */

import { holds } from "./changes.js";
import { checkVersion, fieldsOf, isCount, isObject, isText, listOf, Unreadable } from "./fields.js";
import { canonical, parseIntervention } from "./interventions.js";
import { isMasked, KINDS, keyTokens, queryTokens } from "./kinds.js";
import { parseTrace } from "./trace.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Trace, TracePayload } from "./trace.js" */
/** @import { Values } from "./fields.js" */

export const VERSION = 1;

/** What the page can still draw: tiles of all heads, labels along an axis; and read in no time. */
const MOST = { heads: 4096, tokens: 2000, interventions: 500 };

/** How far the sum of a row may be from 1: rounding moves that of float16 by 4.9e-4 at most. */
const TOLERANCE = { float32: 1e-5, float16: 5e-4 };

/**
 * @param {Values} values
 * @returns {Trace}  of the fields that are known, and no others
 * @throws {Unreadable} if it contradicts the format or itself
 */
export function readTrace(values) {
  checkVersion(values, VERSION);
  const trace = unpacked(readFields(values));
  for (const kind of KINDS) checkWeights(trace, kind);
  checkHeads(trace);
  return trace;
}

/** @type {(values: Values) => TracePayload & {src_ids: number[]}} */
function readFields(values) {
  const field = fieldsOf(values);
  const trace = {
    schema: "headlight-trace",
    version: VERSION,
    model: field("model", isText),
    checkpoint: field("checkpoint", isText, ""),
    source: field("source", isText),
    translation: field("translation", isText),
    src: field("src", listOf(isText)),
    tgt_in: field("tgt_in", listOf(isText)),
    tgt_out: field("tgt_out", listOf(isText)),
    src_ids: field("src_ids", listOf(isCount)),
    tgt_ids: field("tgt_ids", listOf(isCount)),
    prefix_length: field("prefix_length", isCount),
    candidates: field("candidates", listOf(listOf(isCandidate))),
    stop_reason: field("stop_reason", isStopReason),
    interventions: field("interventions", listOf(isText), []),
    sampling: field("sampling", isSampling, null),
    heads: /** @type {TracePayload["heads"]} */ (field("heads", isHeads, {})),
    glosses: field("glosses", isGlosses, null),
    encoder_self: field("encoder_self", isPacked, null),
    decoder_self: field("decoder_self", isPacked),
    cross: field("cross", isPacked, null),
  };
  const { length } = trace.tgt_in;
  /** @type {[string, boolean][]} */
  const agree = [
    ["src_ids", trace.src_ids.length === trace.src.length],
    ["tgt_in", length > 0],
    ["tgt_out", trace.tgt_out.length === length],
    ["tgt_ids", trace.tgt_ids.length === length],
    ["candidates", trace.candidates.length === length],
    ["prefix_length", trace.prefix_length <= length],
    ["interventions", trace.interventions.length <= MOST.interventions],
    ["interventions", trace.interventions.every((text) => canonical(text) !== null)],
    ["decoder_self", trace.decoder_self !== null],
    ["cross", (trace.cross === null) === (trace.encoder_self === null)],
    ["glosses", (trace.glosses?.src.length ?? trace.src.length) === trace.src.length],
    ["glosses", (trace.glosses?.tgt.length ?? length) === length],
    ["src", trace.src.length > 0 || trace.cross === null],
  ];
  for (const [name, agrees] of agree) {
    if (!agrees) throw new Unreadable("file_field", { field: name });
  }
  return trace;
}

/** @type {(payload: TracePayload) => Trace} */
function unpacked(payload) {
  for (const kind of KINDS) {
    const packed = payload[kind];
    const [queries, keys] = [queryTokens(payload, kind).length, keyTokens(payload, kind).length];
    if (!packed) continue;
    const { shape, dtype, data } = packed;
    const [layers, heads] = shape;
    const fits = shape.length === 4 && shape[2] === queries && shape[3] === keys;
    const size = shape.reduce((product, side) => product * side, dtype === "float16" ? 2 : 4);
    const few = layers * heads <= MOST.heads && Math.max(queries, keys) <= MOST.tokens;
    // Four characters of base64 carry three bytes.
    if (!fits || !few || layers < 1 || heads < 1 || Math.ceil(size / 3) * 4 !== data.length) {
      throw new Unreadable("file_shape", { kind, shape: shape.slice(0, 6).join(" × ") });
    }
  }
  try {
    return parseTrace(payload);
  } catch {
    throw new Unreadable("file_broken"); // it is no base64
  }
}

/** @type {(trace: Trace, kind: Kind) => void} */
function checkWeights(trace, kind) {
  const weights = trace.weights[kind];
  if (!weights) return;
  const { layers, heads, queries, keys, data } = weights;
  const float16 = trace[kind]?.dtype === "float16";
  const tolerance = TOLERANCE[float16 ? "float16" : "float32"];
  const changes = (trace.interventions ?? []).flatMap((text) => parseIntervention(text) ?? []);
  const off = changes.filter(({ effect }) => effect === "zero");
  for (let row = 0; row < layers * heads * queries; row++) {
    const [head, query] = [Math.floor(row / queries), row % queries];
    let sum = 0;
    for (let key = 0; key < keys; key++) {
      const weight = data[row * keys + key];
      // Not so written that NaN could pass.
      if (!(weight >= 0 && weight <= 1 + tolerance)) throw new Unreadable("file_values", { kind });
      if (weight > 0 && isMasked(kind, query, key, weights.causal)) {
        throw new Unreadable("file_future", { kind });
      }
      sum += weight;
    }
    const layer = Math.floor(head / heads);
    const target = { kind, layer, head: head % heads };
    const isOff = off.some(
      ({ row, ...change }) => holds(change, target) && (row === undefined || row === query),
    );
    const expected = isOff ? 0 : 1;
    if (Math.abs(sum - expected) > tolerance) {
      throw new Unreadable("file_sums", { kind, sum: Number(sum.toPrecision(4)) });
    }
  }
}

/**
 * Every layer of a decoder has both kinds, and a model has one number of heads.
 *
 * @param {Trace} trace
 */
function checkHeads({ weights: { encoder_self, decoder_self, cross } }) {
  const heads = decoder_self?.heads;
  const fits =
    !(cross && encoder_self) ||
    (cross.layers === decoder_self?.layers &&
      cross.heads === heads &&
      encoder_self.heads === heads);
  if (!fits) throw new Unreadable("file_field", { field: "cross" });
}

/** @type {(value: unknown) => value is number} */
function isShare(value) {
  return typeof value === "number" && value >= 0 && value <= 1.001; // summed in float32
}

/** @type {(value: unknown) => value is import("./trace.js").Candidate} */
function isCandidate(value) {
  if (!isObject(value)) return false;
  const { token, id, probability, drawn = null } = value;
  return isText(token) && isCount(id) && isShare(probability) && (drawn === null || isShare(drawn));
}

/** @type {(value: unknown) => value is string} */
function isStopReason(value) {
  return value === "eos" || value === "max_steps" || value === "max_length";
}

/** @type {(value: unknown) => value is import("./trace.js").Sampling | null} */
function isSampling(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { temperature, top_k, seed } = value;
  const fits = typeof temperature === "number" && temperature > 0 && temperature <= 100;
  return fits && isCount(top_k) && isCount(seed);
}

/** @type {(value: unknown) => value is Values} */
function isHeads(value) {
  return (
    isObject(value) &&
    Object.values(value).every(
      (told) =>
        isObject(told) && isText(told.head) && isText(told.role) && isOpening(told.opening ?? null),
    )
  );
}

/** @type {(value: unknown) => value is import("./trace.js").Opening | null} */
function isOpening(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  return isText(value.head) && isText(value.row) && isShare(value.meets) && isShare(value.other);
}

/** @type {(value: unknown) => value is import("./trace.js").Glosses | null} */
function isGlosses(value) {
  if (value === null) return true;
  return isObject(value) && [value.src, value.tgt].every(listOf(isTextOrNull));
}

/** @type {(value: unknown) => value is string | null} */
function isTextOrNull(value) {
  return value === null || isText(value);
}

/** @type {(value: unknown) => value is import("./unpack.js").PackedArray | null} */
function isPacked(value) {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { shape, dtype, data } = value;
  const known = dtype === "float16" || dtype === "float32";
  return known && typeof data === "string" && listOf(isCount)(shape);
}
