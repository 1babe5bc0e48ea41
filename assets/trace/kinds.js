/** The geometry of each kind of attention: whose tokens its queries and keys are, what it may see. */

import { PROTOCOL } from "./protocol.js";

/** @typedef {"encoder_self" | "decoder_self" | "cross"} Kind */
/** @typedef {"source" | "target"} Side */
/** @typedef {{src: string[], tgt_in: string[], tgt_out: string[]}} Tokens  of `tgt_out` "" where nobody knows it */

/**
 * The decoder's mask: true as it should be, false where it was taken away, "inverted" where it hides
 * what comes before. Any other mask, of any kind, is told cell by cell: 1 of each [query, key] that may
 * be attended to.
 *
 * @typedef {boolean | "inverted" | {keys: number, allowed: Uint8Array}} Causal
 */

export const KINDS = /** @type {Kind[]} */ (PROTOCOL.kinds);

/**
 * As they stand on the page, and as the keys 1, 2 and 3 choose them.
 *
 * @type {Kind[]}
 */
export const SHOWN = ["cross", "encoder_self", "decoder_self"];

/**
 * Whose tokens stand along a matrix's rows and columns.
 *
 * @type {Record<Kind, {queries: Side, keys: Side}>}
 */
export const SIDES = {
  encoder_self: { queries: "source", keys: "source" },
  decoder_self: { queries: "target", keys: "target" },
  cross: { queries: "target", keys: "source" },
};

/**
 * Whether a row is a step of the decoder, which reads one token and predicts the next.
 *
 * @param {Kind} kind
 */
export function decodes(kind) {
  return SIDES[kind].queries === "target";
}

/**
 * What a trace is walked over, one step a token: what a decoder reads, else the words of the encoder.
 *
 * @param {Pick<Tokens, "src" | "tgt_in">} tokens
 */
export function walkOf({ src, tgt_in }) {
  return tgt_in.length ? tgt_in : src;
}

/**
 * Whether the model writes nothing, an encoder alone: its steps are its words, all there from the first on.
 *
 * @param {Pick<Tokens, "tgt_in"> | null} tokens
 */
export function onlyReads(tokens) {
  return tokens?.tgt_in.length === 0;
}

/**
 * Whether a row of a kind is a step of the trace: a decoder's, and of an encoder alone its own.
 *
 * @param {Pick<Tokens, "tgt_in">} tokens
 * @param {Kind} kind
 */
export function isStep({ tgt_in }, kind) {
  return decodes(kind) === tgt_in.length > 0;
}

/**
 * Whether anything is known of what the decoder wrote, or was given next.
 *
 * @param {Pick<Tokens, "tgt_out">} tokens
 */
export function predicts({ tgt_out }) {
  return tgt_out.some((token) => token !== "");
}

/**
 * The decoder's words in their order: what it read first, and after each what it wrote, or read next.
 *
 * @param {Pick<Tokens, "tgt_in" | "tgt_out">} tokens
 */
export function targetWords({ tgt_in, tgt_out }) {
  const next = tgt_in.map((_, i) => tgt_out[i] || (tgt_in[i + 1] ?? ""));
  const words = [...tgt_in.slice(0, 1), ...next];
  return tgt_in.length && words.at(-1) === "" && !tgt_out.at(-1) ? words.slice(0, -1) : words;
}

/** The tokens whose rows a kind has. @type {(tokens: Tokens, kind: Kind) => string[]} */
export function queryTokens({ src, tgt_in }, kind) {
  return decodes(kind) ? tgt_in : src;
}

/** The tokens whose columns a kind has. @type {(tokens: Tokens, kind: Kind) => string[]} */
export function keyTokens({ src, tgt_in }, kind) {
  return SIDES[kind].keys === "target" ? tgt_in : src;
}

/**
 * What each column of labels beside a matrix's rows tells: a decoder's row has two.
 *
 * @param {Kind} kind
 * @returns {("queries" | "reads" | "predicts")[]}
 */
export function rowNames(kind) {
  return decodes(kind) ? ["reads", "predicts"] : ["queries"];
}

/**
 * The labels, as `rowNames` names their columns.
 *
 * @param {Tokens} tokens
 * @param {Kind} kind
 */
export function rowLabels({ src, tgt_in, tgt_out }, kind) {
  return decodes(kind) ? [tgt_in, tgt_out] : [src];
}

/**
 * Where the keys end that a query may see: before this one. They begin at `firstVisible`, which is
 * the first of all but for an inverted mask.
 *
 * @param {Kind} kind
 * @param {number} query
 * @param {number} keys  how many there are
 * @param {Causal} [causal]
 */
export function visibleKeys(kind, query, keys, causal = true) {
  if (typeof causal === "object") return allowedIn(causal, query).lastIndexOf(1) + 1;
  return kind === "decoder_self" && causal === true ? Math.min(keys, query + 1) : keys;
}

/** The first key that a query may see. @type {(kind: Kind, query: number, causal?: Causal) => number} */
export function firstVisible(kind, query, causal = true) {
  if (typeof causal === "object") return Math.max(0, allowedIn(causal, query).indexOf(1));
  return kind === "decoder_self" && causal === "inverted" ? query : 0;
}

/** @type {(mask: {keys: number, allowed: Uint8Array}, query: number) => Uint8Array}  of a row */
function allowedIn({ keys, allowed }, query) {
  return allowed.subarray(query * keys, (query + 1) * keys);
}

/**
 * Whether anything at all is masked, in a matrix of so many keys.
 *
 * @param {Kind} kind
 * @param {number} keys
 * @param {Causal} [causal]
 */
export function hasMask(kind, keys, causal = true) {
  if (typeof causal === "object") return causal.allowed.includes(0);
  return kind === "decoder_self" && causal !== false && keys > 1;
}

/**
 * What the model was forbidden to see, which is not the same as a weight of zero.
 *
 * @param {Kind} kind
 * @param {number} query
 * @param {number} key
 * @param {Causal} [causal]
 */
export function isMasked(kind, query, key, causal = true) {
  if (typeof causal === "object") return causal.allowed[query * causal.keys + key] === 0;
  const end = visibleKeys(kind, query, Number.POSITIVE_INFINITY, causal);
  return key >= end || key < firstVisible(kind, query, causal);
}

/**
 * Whether a row is not decoded yet at a step.
 *
 * @param {Kind} kind
 * @param {number} query
 * @param {number} step
 */
export function isAhead(kind, query, step) {
  return decodes(kind) && query > step;
}

/**
 * Why a cell shows no weight at a step, if it shows none.
 *
 * @param {{kind: Kind, query: number, key: number}} cell
 * @param {number} step
 * @param {Causal} [causal]
 * @returns {"masked" | "ahead" | null}
 */
export function hiddenBecause({ kind, query, key }, step, causal = true) {
  if (isMasked(kind, query, key, causal)) return "masked";
  return isAhead(kind, query, step) ? "ahead" : null;
}
