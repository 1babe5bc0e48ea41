/**
 * A trace out of a file, wherever the file came from: nothing in it is believed before it has been
 * looked at, as `AttentionTrace` looks in Python. docs/trace-format.md describes the fields.
 */

import { fieldsOf, isCount, isText, listOf, Unreadable } from "./fields.js";
import { canonical } from "./interventions.js";
import { KINDS, keyTokens, queryTokens } from "./kinds.js";
import { SECOND } from "./payload.js";
import { checkNamedPlaces } from "./saved_places.js";
import { checkRows } from "./saved_rows.js";
import { readSecond } from "./saved_second.js";
import { parseTrace } from "./trace.js";
import {
  areCandidates,
  areLabels,
  checkAgreement,
  isFull,
  isGlosses,
  isHeads,
  isPacked,
  isSampling,
  isStopReason,
  isTextOrNull,
  MOST,
  unpacked,
} from "./validators.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Trace, TracePayload } from "./trace.js" */
/** @import { Values } from "./fields.js" */

const VERSION = 1;

/**
 * Reads a saved trace.
 *
 * @param {Values} values
 * @returns {Trace}  of the fields that are known, and no others
 * @throws {Unreadable} if it contradicts the format or itself
 */
export function readTrace(values) {
  if (values.version === SECOND) return readSecond(values);
  if (values.version !== VERSION) {
    const version = String(values.version).slice(0, 20);
    throw new Unreadable("file_version", { version, known: SECOND });
  }
  const fields = readFields(values);
  for (const kind of KINDS) checkShape(fields, kind);
  checkHeads(fields);
  const trace = unpacked(parseTrace, fields);
  checkNamedPlaces(trace);
  for (const kind of KINDS) checkRows(trace, kind, trace[kind]?.dtype === "float16" ? 5e-4 : 1e-5);
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
  checkAgreement([
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
  ]);
  return trace;
}

/** @type {(payload: TracePayload, kind: Kind) => void} */
function checkShape(payload, kind) {
  const packed = payload[kind];
  if (!packed) return;
  const [queries, keys] = [queryTokens(payload, kind).length, keyTokens(payload, kind).length];
  const { shape } = packed;
  const [layers, heads] = shape;
  const fits = shape.length === 4 && shape[2] === queries && shape[3] === keys;
  const few = layers * heads <= MOST.heads;
  if (!fits || !few || layers < 1 || heads < 1 || !isFull(packed)) {
    throw new Unreadable("file_shape", { kind, shape: shape.join(" × ") });
  }
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
  checkAgreement([["cross", fits]]);
}
