/**
 * A trace of version 2 ("headlight-trace"): any Transformer's. A field that nobody knows is null; once
 * read, it is what the views expect of a trace of ours that lacks the same.
 */

import { KINDS, keyTokens, queryTokens, walkOf } from "./kinds.js";
import { bytesOf, unpackValues, unpackWeights } from "./unpack.js";
import { weightsOf } from "./weights.js";

/** @import { Causal, Kind } from "./kinds.js" */
/** @import { Packed, PackedMask, SecondPayload, Trace } from "./payload.js" */
/** @import { PackedArray } from "./unpack.js" */
/** @import { Weights } from "./weights.js" */

/** Between the two sentences of a pair, on one line. */
export const PAIR = " / ";

/**
 * Reads a trace of version 2.
 *
 * @param {SecondPayload} payload
 * @param {Partial<Record<Kind, Weights>>} [coming]  of kinds whose weights it lacks
 * @returns {Trace}
 */
export function parseSecond(payload, coming = {}) {
  const [src, tgt_in] = [payload.src ?? [], payload.tgt_in ?? []];
  const tokens = { src, tgt_in, tgt_out: tgt_in.map((_, i) => payload.tgt_out?.[i] ?? "") };
  const walk = walkOf(tokens);
  const ofWalk = (payload.predicts ?? "tgt") === (tgt_in.length ? "tgt" : "src");
  /** @type {Trace["weights"]} */
  const weights = {};
  for (const kind of KINDS) {
    const packed = payload[kind];
    const whole = packed ? readWeights(packed, kind, tokens) : coming[kind];
    if (whole) weights[kind] = withMasks(payload, kind, whole);
  }
  const source = payload.source ?? "";
  return {
    ...tokens,
    version: 2,
    payload,
    weights,
    origin: payload.origin ?? { by: "given" },
    model: payload.model ?? "",
    checkpoint: payload.checkpoint ?? "",
    source: typeof source === "string" ? source : source.join(PAIR),
    translation: payload.translation ?? "",
    read_as: payload.read_as ?? null,
    src_ids: payload.src_ids ?? [],
    tgt_ids: payload.tgt_ids ?? [],
    words: payload.words ?? {},
    parts: payload.parts ?? {},
    hidden: payload.hidden ?? [],
    candidates: walk.map((_, row) => (ofWalk ? (payload.candidates?.[row] ?? []) : [])),
    forced_by: payload.forced_by ?? [],
    prefix_length: payload.prefix_length ?? 0,
    stop_reason: payload.stop_reason ?? "",
    interventions: payload.interventions ?? [],
    sampling: payload.sampling ?? null,
    heads: payload.heads ?? {},
    glosses: payload.glosses ?? null,
    encoder_self: null,
    decoder_self: null,
    cross: null,
  };
}

/** @type {(packed: Packed, kind: Kind, tokens: import("./kinds.js").Tokens) => Weights} */
function readWeights(packed, kind, tokens) {
  const [queries, keys] = [queryTokens(tokens, kind).length, keyTokens(tokens, kind).length];
  return Array.isArray(packed) ? layered(packed, queries, keys) : unpackWeights(packed);
}

/** @type {(payload: SecondPayload, kind: Kind, whole: Weights) => Weights} */
function withMasks(payload, kind, whole) {
  const sinks = payload.sink?.[kind]?.map((sink) => sink && unpackValues(sink));
  const masks = masksOf(payload, kind, whole);
  return { ...whole, ...masks, ...(sinks && { sinks }) };
}

/** @type {(layers: (PackedArray | null)[], queries: number, keys: number) => Weights} */
function layered(layers, queries, keys) {
  const values = layers.map((packed) => (packed ? unpackValues(packed) : new Float32Array()));
  const data = new Float32Array(values.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const own of values) {
    data.set(own, at);
    at += own.length;
  }
  const counts = layers.map((packed) => packed?.shape[0] ?? 0);
  const heads = Math.max(1, ...counts);
  return weightsOf(data, { layers: layers.length, heads, queries, keys, counts });
}

/** @type {(payload: SecondPayload, kind: Kind, weights: Weights) => Pick<Weights, "causal" | "masks">} */
function masksOf({ mask, interventions }, kind, { queries, keys }) {
  const packed = mask?.[kind];
  if (!packed) return { causal: causalOf(interventions ?? []) };
  const read = (/** @type {PackedMask} */ one) => maskOf(one, kind, queries, keys);
  if (!Array.isArray(packed)) return { causal: read(packed) };
  const masks = packed.map((one) => (one ? read(one) : false));
  const allowed = new Uint8Array(queries * keys);
  for (const each of masks) {
    const own = allowedOf(each, kind, queries, keys);
    for (let i = 0; i < allowed.length; i++) allowed[i] |= own[i];
  }
  return { causal: { keys, allowed }, masks };
}

/**
 * What changes to a model leave of the decoder's mask.
 *
 * @param {string[]} interventions
 * @returns {Causal}
 */
export function causalOf(interventions) {
  const mask = interventions.filter((text) => text.startsWith("causal=")).at(-1);
  return mask === "causal=inverted" ? "inverted" : !mask;
}

/** @type {(packed: PackedMask, kind: Kind, queries: number, keys: number) => Causal} */
function maskOf(packed, kind, queries, keys) {
  if (packed === "none") return false;
  if (packed === "causal" && kind === "decoder_self") return true;
  return { keys, allowed: cellsOf(packed, queries, keys) };
}

/** @type {(packed: Exclude<PackedMask, "none">, queries: number, keys: number) => Uint8Array} */
function cellsOf(packed, queries, keys) {
  if (typeof packed === "object" && "data" in packed) {
    const bytes = bytesOf(packed.data);
    return Uint8Array.from(
      { length: queries * keys },
      (_, i) => (bytes[i >> 3] >> (7 - (i & 7))) & 1,
    );
  }
  const width = typeof packed === "object" ? packed.window : Number.POSITIVE_INFINITY;
  return Uint8Array.from({ length: queries * keys }, (_, i) => {
    const back = Math.floor(i / keys) - (i % keys);
    return Number(back >= 0 && back < width);
  });
}

/** @type {(mask: Causal, kind: Kind, queries: number, keys: number) => Uint8Array} */
function allowedOf(mask, kind, queries, keys) {
  if (typeof mask === "object") return mask.allowed;
  if (mask && kind === "decoder_self") return cellsOf("causal", queries, keys);
  return new Uint8Array(queries * keys).fill(1);
}
