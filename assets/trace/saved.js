/**
 * A trace out of a file, wherever the file came from: nothing in it is believed before it has been
 * looked at, as `AttentionTrace` looks in Python. docs/trace-format.md describes the fields.
 */

import { checkVersion, fieldsOf, isCount, isObject, isText, listOf, Unreadable } from "./fields.js";
import { canonical, parseIntervention } from "./interventions.js";
import { isMasked, KINDS, keyTokens, queryTokens } from "./kinds.js";
import { parseTrace } from "./trace.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Trace, TracePayload } from "./trace.js" */
/** @import { Values } from "./fields.js" */

export const VERSION = 1;

/**
 * What the page can still draw: tiles of all heads, labels along an axis; and read in no time. Labels
 * are counted in characters, of all tokens of a side together.
 */
const MOST = {
  ...{ heads: 4096, tokens: 2000, labels: 100_000 },
  ...{ candidates: 200_000, interventions: 500 },
};

/** How far the sum of a row may be from 1: rounding moves that of float16 by 4.9e-4 at most. */
const TOLERANCE = { float32: 1e-5, float16: 5e-4 };

/**
 * @param {Values} values
 * @returns {Trace}  of the fields that are known, and no others
 * @throws {Unreadable} if it contradicts the format or itself
 */
export function readTrace(values) {
  checkVersion(values, VERSION);
  const fields = readFields(values);
  for (const kind of KINDS) checkShape(fields, kind);
  checkHeads(fields);
  const trace = unpacked(fields);
  for (const kind of KINDS) checkWeights(trace, kind);
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
    read_as: field("read_as", isTextOrNull, null),
    translation: field("translation", isText),
    src: field("src", areLabels),
    tgt_in: field("tgt_in", areLabels),
    tgt_out: field("tgt_out", areLabels),
    src_ids: field("src_ids", listOf(isCount, MOST.tokens)),
    tgt_ids: field("tgt_ids", listOf(isCount, MOST.tokens)),
    prefix_length: field("prefix_length", isCount),
    candidates: field("candidates", areCandidates),
    stop_reason: field("stop_reason", isStopReason),
    interventions: field("interventions", listOf(isText, MOST.interventions), []),
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

/** @type {(payload: TracePayload, kind: Kind) => void} */
function checkShape(payload, kind) {
  const packed = payload[kind];
  if (!packed) return;
  const [queries, keys] = [queryTokens(payload, kind).length, keyTokens(payload, kind).length];
  const { shape, dtype, data } = packed;
  const [layers, heads] = shape;
  const fits = shape.length === 4 && shape[2] === queries && shape[3] === keys;
  const size = shape.reduce((product, side) => product * side, dtype === "float16" ? 2 : 4);
  const few = layers * heads <= MOST.heads;
  // Four characters of base64 carry three bytes.
  if (!fits || !few || layers < 1 || heads < 1 || Math.ceil(size / 3) * 4 !== data.length) {
    throw new Unreadable("file_shape", { kind, shape: shape.join(" × ") });
  }
}

/** @type {(payload: TracePayload) => Trace} */
function unpacked(payload) {
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
  const off = rowsOff(trace.interventions ?? [], kind, weights);
  for (let row = 0; row < layers * heads * queries; row++) {
    const query = row % queries;
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
    if (Math.abs(sum - (off[row] ? 0 : 1)) > tolerance) {
      throw new Unreadable("file_sums", { kind, sum: Number(sum.toPrecision(4)) });
    }
  }
}

/**
 * Which rows attend to nothing, 1 of each [layer, head, query]: worked out once, since there may be a
 * million rows and five hundred changes.
 *
 * @type {(interventions: string[], kind: Kind, weights: import("./weights.js").Weights) => Uint8Array}
 */
function rowsOff(interventions, kind, { layers, heads, queries }) {
  const off = new Uint8Array(layers * heads * queries);
  for (const text of new Set(interventions)) {
    const change = parseIntervention(text);
    if (change?.effect !== "zero" || change.kind !== kind) continue;
    for (const layer of placesOf(change.layer, layers)) {
      for (const head of placesOf(change.head, heads)) {
        const start = (layer * heads + head) * queries;
        if (change.row === undefined) off.fill(1, start, start + queries);
        else if (change.row < queries) off[start + change.row] = 1;
      }
    }
  }
  return off;
}

/** @type {(place: number | null, count: number) => number[]} */
function placesOf(place, count) {
  if (place === null) return Array.from({ length: count }, (_, i) => i);
  return place < count ? [place] : [];
}

/**
 * Every layer of a decoder has both kinds, and a model has one number of heads.
 *
 * @param {TracePayload} payload
 */
function checkHeads({ encoder_self, decoder_self, cross }) {
  if (!encoder_self || !decoder_self || !cross) return;
  const [[layers, heads], [, encoder_heads]] = [decoder_self.shape, encoder_self.shape];
  const fits = cross.shape[0] === layers && cross.shape[1] === heads && encoder_heads === heads;
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

/** @type {(value: unknown) => value is import("./trace.js").Candidate[][]} */
function areCandidates(value) {
  if (!listOf(Array.isArray, MOST.tokens)(value)) return false;
  const count = value.reduce((sum, step) => sum + step.length, 0);
  return count <= MOST.candidates && value.every(listOf(isCandidate));
}

/** @type {(value: unknown) => value is string[]} */
function areLabels(value) {
  if (!listOf(isText, MOST.tokens)(value)) return false;
  return value.reduce((sum, label) => sum + label.length, 0) <= MOST.labels;
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
    KINDS.every((kind) => {
      const told = value[kind] ?? null;
      if (told === null) return true;
      if (!isObject(told)) return false;
      return isText(told.head) && isText(told.role) && isOpening(told.opening ?? null);
    })
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
  return isObject(value) && [value.src, value.tgt].every(listOf(isTextOrNull, MOST.tokens));
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
  return known && typeof data === "string" && listOf(isCount, 6)(shape);
}
