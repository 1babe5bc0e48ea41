/**
 * A trace as the server sends it ("headlight-trace"), decoded once for drawing.
 *
 * This room holds what is known of a trace, as pure functions of plain values. Nothing in it touches
 * the document, the store, a language or a colour, so that it runs, and is tested, without a browser.
 */

import { everyHead, hasHead, parseHead, sameHead } from "./choice.js";
import { KINDS } from "./kinds.js";
import { SECOND } from "./payload.js";
import { causalOf, parseSecond } from "./second.js";
import { unpackWeights } from "./unpack.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Choice } from "./choice.js" */
/** @import { SecondPayload } from "./payload.js" */

/** @typedef {import("./payload.js").Candidate} Candidate */
/** @typedef {import("./payload.js").Sampling} Sampling */
/** @typedef {import("./payload.js").Glosses} Glosses */
/** @typedef {import("./payload.js").Opening} Opening */
/** @typedef {import("./payload.js").RepresentativeHead} RepresentativeHead */
/** @typedef {import("./payload.js").TracePayload} TracePayload */
/** @typedef {import("./payload.js").Trace} Trace */
/** @typedef {typeof ROLES[number]} Role */

/** What a representative head does. */
export const ROLES = /** @type {const} */ ([
  ...["aligns", "itself", "previous", "next", "induction", "first", "end", "punctuation"],
  ...["written", "read"],
]);

/** Reads a trace out of an answer. @type {(payload: TracePayload | SecondPayload) => Trace} */
export function parseTrace(payload) {
  if ("version" in payload && payload.version === SECOND) return parseSecond(payload);
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
export function representativeHead({ heads, weights }, kind) {
  const representative = heads?.[kind];
  const choice = choiceIn(representative?.head, weights[kind]);
  const role = ROLES.find((role) => role === representative?.role);
  return choice && { choice, role, row: representative?.row ?? null };
}

/**
 * One head of a kind that something can be shown by: the representative one, else the last layer's first.
 *
 * @param {Pick<Trace, "heads" | "weights">} trace
 * @param {Kind} kind
 * @returns {Choice | undefined}  undefined without such a kind
 */
export function shownBy(trace, kind) {
  const weights = trace.weights[kind];
  if (!weights) return undefined;
  return (
    representativeHead(trace, kind)?.choice ??
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
