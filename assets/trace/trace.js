/**
 * A trace as the server sends it ("headlight-trace"), decoded once for drawing.
 *
 * This room holds what is known of a trace, as pure functions of plain values. Nothing in it touches
 * the document, the store, a language or a colour, so that it runs, and is tested, without a browser.
 */

import { everyHead, hasHead, parseHead, sameHead } from "./choice.js";
import { KINDS } from "./kinds.js";
import { causalOf, parseSecond } from "./second.js";
import { unpackWeights } from "./unpack.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Choice } from "./choice.js" */
/** @import { SecondPayload } from "./second.js" */
/** @import { PackedArray } from "./unpack.js" */

/**
 * A token that the model might have emitted: `probability` is the model's own, `drawn` the one in the
 * distribution that was sampled; null or absent where nothing was drawn, and in older traces.
 *
 * @typedef {{token: string, id: number, probability: number, drawn?: number | null}} Candidate
 */

/**
 * How tokens are drawn by lot, as the server takes it.
 *
 * @typedef {{temperature: number, top_k: number, seed: number}} Sampling
 */

/**
 * What each token of `src` and of `tgt_out` means in the other language: a word's gloss stands at its
 * first piece, and null wherever there is none.
 *
 * @typedef {{src: (string | null)[], tgt: (string | null)[]}} Glosses
 */

/** @typedef {typeof ROLES[number]} Role */

/**
 * What a picture begins with, if not with the telling head: the weights whose strongest cell is most
 * often where a lexicon says, a head's or "L3.mean". `row` tells whether they look at the word to be
 * written ("predicts") or at the one just read ("reads"); `meets` at what share of words they do so,
 * and `other` the best ones for the other row.
 *
 * @typedef {{head: string, row: string, meets: number, other: number}} Opening
 */

/** @typedef {{head: string, role: string, row?: string | null, opening?: Opening | null}} TellingHead */

/**
 * @typedef {object} TracePayload
 * @property {string} model
 * @property {string} [checkpoint]  a short hash of its weights; "" if nobody knows it
 * @property {string} source
 * @property {string | null} [read_as]  the text that was cut into tokens, if it is another than `source`;
 *   absent in older traces
 * @property {string} translation
 * @property {string[]} src
 * @property {string[]} tgt_in
 * @property {string[]} tgt_out
 * @property {number[]} [src_ids]
 * @property {number[]} tgt_ids
 * @property {Candidate[][]} candidates
 * @property {string} stop_reason
 * @property {string[]} [interventions]
 * @property {number} prefix_length  how many of tgt_out were forced
 * @property {Sampling | null} [sampling]  null for greedy decoding
 * @property {Partial<Record<Kind, TellingHead>>} [heads]  the one of each kind that tells most, measured
 *   on the model's dev set; absent in older traces
 * @property {Glosses | null} [glosses]  null of a model without a lexicon; absent in older traces
 * @property {PackedArray | null} encoder_self
 * @property {PackedArray | null} decoder_self
 * @property {PackedArray | null} cross
 */

/**
 * Row t of the decoder reads tgt_in[t] and predicts tgt_out[t], "" where nobody knows. What a trace of
 * version 2 tells beyond one of ours is absent in these; `payload` is such a one as it came.
 *
 * @typedef {object} Beyond
 * @property {number} [version]
 * @property {SecondPayload} [payload]
 * @property {import("./second.js").Origin} [origin]
 * @property {import("./second.js").BySide} [words]
 * @property {import("./second.js").BySide} [parts]
 * @property {{at: number, token: string, id?: number | null}[]} [hidden]
 * @property {(string | null)[]} [forced_by]
 */

/** @typedef {TracePayload & Beyond & {weights: Partial<Record<Kind, import("./weights.js").Weights>>}} Trace */

/** What a telling head does. */
export const ROLES = /** @type {const} */ ([
  ...["aligns", "itself", "previous", "next", "induction", "first", "end", "punctuation"],
  ...["written", "read"],
]);

/** @type {(payload: TracePayload | SecondPayload) => Trace} */
export function parseTrace(payload) {
  if ("version" in payload && payload.version === 2) return parseSecond(payload);
  return parseFirst(/** @type {TracePayload} */ (payload));
}

/** @type {(payload: TracePayload) => Trace} */
function parseFirst(payload) {
  /** @type {Trace["weights"]} */
  const weights = {};
  for (const kind of KINDS) {
    const packed = payload[kind];
    const causal = causalOf(payload.interventions ?? []);
    if (packed) weights[kind] = { ...unpackWeights(packed), causal };
  }
  return { ...payload, weights };
}

/**
 * A trace as it came.
 *
 * @param {Trace} trace
 * @returns {TracePayload | SecondPayload}
 */
export function payloadOf({ weights: _, payload, ...first }) {
  return payload ?? first;
}

/**
 * The attention in which the source is read; of a decoder alone, its own text.
 *
 * @param {Pick<Trace, "weights">} trace
 * @returns {Kind}
 */
export function readingKind({ weights }) {
  if (weights.cross) return "cross";
  return weights.decoder_self ? "decoder_self" : "encoder_self";
}

/**
 * The head of a kind that its model is known to be told best by.
 *
 * @param {Pick<Trace, "heads" | "weights">} trace
 * @param {Kind} kind
 * @returns {{choice: Choice, role: Role | undefined, row: string | null} | null}  `row`: of a head that
 *   aligns, as an opening's
 */
export function tellingHead({ heads, weights }, kind) {
  const told = heads?.[kind];
  const choice = choiceIn(told?.head, weights[kind]);
  const role = ROLES.find((role) => role === told?.role);
  return choice && { choice, role, row: told?.row ?? null };
}

/**
 * One head of a kind that something can be shown by: the telling one, else the last layer's first.
 *
 * @param {Pick<Trace, "heads" | "weights">} trace
 * @param {Kind} kind
 * @returns {Choice | undefined}  undefined without such a kind
 */
export function shownBy(trace, kind) {
  const weights = trace.weights[kind];
  if (!weights) return undefined;
  return (
    tellingHead(trace, kind)?.choice ??
    everyHead(weights)
      .filter(({ head }) => !head)
      .at(-1)
  );
}

/**
 * What a kind opens on: where the eye agrees with the strongest cell, else that one head.
 *
 * @param {Pick<Trace, "heads" | "weights">} trace
 * @param {Kind} kind
 * @returns {Choice | undefined}  undefined without such a kind
 */
export function openingHead(trace, kind) {
  const opening = choiceIn(trace.heads?.[kind]?.opening?.head, trace.weights[kind]);
  return opening ?? shownBy(trace, kind);
}

/**
 * A candidate of a step that was not chosen.
 *
 * @param {Pick<Trace, "candidates" | "tgt_ids">} trace
 * @param {number} step
 * @param {number | null} id  of its token
 */
export function otherCandidate({ candidates, tgt_ids }, step, id) {
  return id === tgt_ids[step] ? undefined : candidates[step]?.find((each) => each.id === id);
}

/**
 * What was measured of weights that a kind opens on.
 *
 * @param {Pick<Trace, "heads" | "weights">} trace
 * @param {Kind} kind
 * @param {Choice} choice
 * @returns {Opening | null}  null of others
 */
export function openingAt({ heads, weights }, kind, choice) {
  const opening = heads?.[kind]?.opening;
  const at = choiceIn(opening?.head, weights[kind]);
  return opening && at && sameHead(at, choice) ? opening : null;
}

/**
 * @param {string | undefined} name
 * @param {import("./choice.js").Size | undefined} size
 */
function choiceIn(name, size) {
  const choice = name === undefined ? null : parseHead(name);
  return choice && size && hasHead(choice, size) ? choice : null;
}
