/**
 * A trace of version 2 out of a file: any Transformer's, written by whatever tool. What is checked is
 * what `AttentionTrace` checks in Python.
 */

import { isCount, isObject, isText, listOf, Unreadable } from "./fields.js";
import { heldWeights } from "./held.js";
import { canonical } from "./interventions.js";
import { KINDS, keyTokens, queryTokens } from "./kinds.js";
import { checkNamedPlaces } from "./saved_places.js";
import { checkRows } from "./saved_rows.js";
import { parseSecond } from "./second.js";
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

/** @import { Values } from "./fields.js" */
/** @import { Kind } from "./kinds.js" */
/** @import { PackedMask, SecondPayload } from "./payload.js" */
/** @import { PackedArray } from "./unpack.js" */

/** How far a row and its sink may be from 1, by the type that the model computed in. */
const TOLERANCE = { float32: 1e-5, float16: 1e-3, bfloat16: 8e-3 };

/** What float16 moves the sum of a row by, where the file itself is written in it. */
const WRITTEN = 5e-4;

/** @type {(value: unknown) => boolean} */
const isSource = (value) => isText(value) || listOf(isText, 2)(value);
const isIndex = (/** @type {unknown} */ value) => value === null || value === -1 || isCount(value);
const areIndices = (/** @type {unknown} */ value) =>
  Array.isArray(value) && value.length <= MOST.tokens && value.every(isIndex);
const areTexts = (/** @type {unknown} */ value) =>
  Array.isArray(value) && value.length <= MOST.tokens && value.every(isTextOrNull);

/** @type {(value: unknown) => boolean} */
function isBySide(value) {
  if (!isObject(value)) return false;
  return [value.src ?? [], value.tgt ?? []].every(areIndices);
}

/** @type {(value: unknown) => boolean} */
function isHidden(value) {
  return listOf(isObject, MOST.tokens)(value) && value.every(({ at }) => isCount(at));
}

/** @type {(value: unknown) => boolean} */
function isOrigin(value) {
  if (!isObject(value)) return false;
  const { by, dtype = null, library = null, model_class = null } = value;
  const isPrecision = dtype === null || (isText(dtype) && dtype in TOLERANCE);
  return (
    isText(by) &&
    ["headlight", "hooks", "module", "given"].includes(by) &&
    isPrecision &&
    isTextOrNull(library) &&
    isTextOrNull(model_class)
  );
}

/** Each may be null or absent, which is the same. @type {Record<string, (value: unknown) => boolean>} */
const FIELDS = {
  origin: isOrigin,
  form: (value) => value === "encoder" || value === "decoder" || value === "encoder-decoder",
  ...{ model: isText, checkpoint: isText, source: isSource, translation: isText, read_as: isText },
  ...{ src: areLabels, tgt_in: areLabels, tgt_out: areTexts },
  src_ids: listOf(isCount, MOST.tokens),
  tgt_ids: listOf(isCount, MOST.tokens),
  ...{ words: isBySide, parts: isBySide, hidden: isHidden },
  predicts: (value) => value === "tgt" || value === "src",
  ...{ candidates: areCandidates, forced_by: areTexts, prefix_length: isCount },
  ...{ stop_reason: isStopReason, sampling: isSampling, heads: isHeads, glosses: isGlosses },
  interventions: listOf(isText, MOST.interventions),
  ...{ mask: isObject, sink: isObject, key_value_heads: isObject },
};

/**
 * Reads a saved trace of version 2.
 *
 * @param {Values} values
 * @returns {import("./trace.js").Trace}  of the fields that are known, and no others
 * @throws {Unreadable} if it contradicts the format or itself
 */
export function readSecond(values) {
  /** @type {Values} */
  const read = { schema: "headlight-trace", version: 2 };
  for (const [name, is] of Object.entries(FIELDS)) {
    read[name] = values[name] ?? null;
    if (read[name] !== null && !is(read[name])) throw wrong(name);
  }
  for (const kind of KINDS) read[kind] = values[kind] ?? null;
  const payload = /** @type {SecondPayload} */ (/** @type {unknown} */ (read));
  checkSides(payload);
  for (const kind of KINDS) checkKind(payload, kind);
  /** @type {Partial<Record<Kind, import("./weights.js").Weights>>} */
  const held = {};
  for (const kind of KINDS) {
    const packed = payload[kind];
    if (!arraysOf(packed).some((each) => each?.data instanceof Uint8Array)) continue;
    held[kind] = heldWeights(/** @type {import("./held.js").Halves} */ (packed));
    payload[kind] = null;
  }
  const trace = unpacked((each) => parseSecond(each, held), payload);
  checkNamedPlaces(trace);
  const computed = /** @type {keyof typeof TOLERANCE} */ (payload.origin?.dtype ?? "float32");
  for (const kind of KINDS) {
    const halved =
      held[kind] || arraysOf(payload[kind]).some((packed) => packed?.dtype === "float16");
    checkRows(trace, kind, Math.max(TOLERANCE[computed], halved ? WRITTEN : 0));
  }
  return trace;
}

/** @param {string} field */
function wrong(field) {
  return new Unreadable("file_field", { field });
}

/** @param {SecondPayload} payload */
function checkSides(payload) {
  const { form, words, parts, hidden, glosses } = payload;
  const [src, tgt] = [payload.src?.length ?? 0, payload.tgt_in?.length ?? 0];
  const own = payload.predicts === "src" ? src : tgt;
  const there = (/** @type {Kind} */ kind) => (payload[kind] ?? null) !== null;
  /** @type {(list: unknown[] | null | undefined, length: number) => boolean} */
  const fits = (list, length) => !list?.length || list.length === length;
  const inForm =
    form === "encoder"
      ? !tgt
      : form === "decoder"
        ? !there("encoder_self") && !there("cross")
        : true;
  checkAgreement([
    ["src", src + tgt > 0],
    ["form", inForm],
    ["encoder_self", src > 0 || !there("encoder_self")],
    ["decoder_self", tgt > 0 || !there("decoder_self")],
    ["cross", (src > 0 && tgt > 0) || !there("cross")],
    ["decoder_self", KINDS.some(there)],
    ["tgt_out", fits(payload.tgt_out, tgt)],
    ["src_ids", fits(payload.src_ids, src)],
    ["tgt_ids", fits(payload.tgt_ids, tgt)],
    ["words", fits(words?.src, src) && fits(words?.tgt, tgt)],
    ["parts", fits(parts?.src, src) && fits(parts?.tgt, tgt)],
    ["hidden", hidden?.every(({ at }) => at < src) ?? true],
    ["candidates", fits(payload.candidates, own)],
    ["forced_by", fits(payload.forced_by, own)],
    ["prefix_length", (payload.prefix_length ?? 0) <= tgt],
    ["interventions", payload.interventions?.every((text) => canonical(text) !== null) ?? true],
    ["glosses", !glosses || (glosses.src.length === src && glosses.tgt.length === tgt)],
  ]);
}

/** @param {unknown} packed  whole, or by layer */
function arraysOf(packed) {
  return /** @type {(PackedArray | null)[]} */ (Array.isArray(packed) ? packed : [packed ?? null]);
}

/**
 * The shapes of a kind's weights, of its masks and of its sinks.
 *
 * @param {SecondPayload} payload
 * @param {Kind} kind
 */
function checkKind(payload, kind) {
  const packed = payload[kind] ?? null;
  const [mask, sink] = [payload.mask?.[kind] ?? null, payload.sink?.[kind] ?? null];
  if (packed === null) {
    if (mask !== null && typeof mask !== "string") throw wrong("mask");
    if (sink !== null) throw wrong("sink");
    return;
  }
  const tokens = { src: payload.src ?? [], tgt_in: payload.tgt_in ?? [], tgt_out: [] };
  const [queries, keys] = [queryTokens(tokens, kind).length, keyTokens(tokens, kind).length];
  const arrays = arraysOf(packed);
  const byLayer = Array.isArray(packed);
  if (!arrays.every(isPacked)) throw wrong(kind);
  const heads = arrays.map((each) => (each ? (each.shape.at(-3) ?? 0) : 0));
  const layers = byLayer ? arrays.length : (arrays[0]?.shape[0] ?? 0);
  const count = byLayer ? heads.reduce((sum, each) => sum + each, 0) : layers * heads[0];
  for (const each of arrays) {
    if (!each) continue;
    const { shape } = each;
    const size =
      shape.length === (byLayer ? 3 : 4) && shape.at(-2) === queries && shape.at(-1) === keys;
    if (!size || shape.includes(0) || count > MOST.heads || !isFull(each)) {
      throw new Unreadable("file_shape", { kind, shape: shape.join(" × ") });
    }
  }
  if (count < 1) throw wrong(kind);
  const masks = Array.isArray(mask) ? mask : [mask];
  if (Array.isArray(mask) && mask.length !== layers) throw wrong("mask");
  if (!masks.every((each) => each === null || isMask(each, queries, keys))) throw wrong("mask");
  if (sink === null) return;
  if (!Array.isArray(sink) || sink.length !== layers || !sink.every(isPacked)) throw wrong("sink");
  for (const [layer, each] of sink.entries()) {
    if (!each) continue;
    const own = byLayer ? heads[layer] : heads[0];
    if (each.shape.join() !== [own, queries].join() || !isFull(each)) throw wrong("sink");
  }
}

/** @type {(mask: PackedMask, queries: number, keys: number) => boolean} */
function isMask(mask, queries, keys) {
  if (mask === "none" || mask === "causal") return true;
  if (!isObject(mask)) return false;
  if ("window" in mask) return isCount(mask.window) && mask.window > 0;
  const { shape, dtype, data } = mask;
  return (
    dtype === "bits" &&
    Array.isArray(shape) &&
    shape.join() === [queries, keys].join() &&
    typeof data === "string" &&
    data.length === Math.ceil(Math.ceil((queries * keys) / 8) / 3) * 4
  );
}
