/** Several changes to the model at once: one more, one less, and what is done to a head by all of them. */

import { interventionText, parseIntervention } from "./interventions.js";
import { KINDS } from "./kinds.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Change, Effect, Target } from "./interventions.js" */

/** @typedef {{layers: number, heads: number}} Size  of the kind's weights */

/**
 * What is changed where this is looked at: a joined layer stands for its heads, all joined for all.
 *
 * @param {Kind} kind
 * @param {import("./choice.js").Choice} choice
 * @returns {Target | null}  null for one head joined over the layers
 */
export function targetOf(kind, { layer, head }) {
  if (typeof head === "number") return typeof layer === "number" ? { kind, layer, head } : null;
  return { kind, layer: typeof layer === "number" ? layer : null, head: null };
}

/**
 * What has been done to a head, a layer or a kind as a whole; or to one row of it.
 *
 * @type {(texts: string[], target: Target | null) => Effect | null}
 */
export function effectOn(texts, target) {
  return (target && changesOf(texts).find((one) => holds(one, target))?.effect) ?? null;
}

/** @type {WeakMap<string[], Change[]>} */
const parsed = new WeakMap();

/**
 * What a list of changes says, which thousands of heads ask in turn.
 *
 * @param {string[]} texts
 */
function changesOf(texts) {
  const earlier = parsed.get(texts);
  if (earlier) return earlier;
  const changes = texts.flatMap((text) => parseIntervention(text) ?? []);
  parsed.set(texts, changes);
  return changes;
}

/**
 * These changes with another one, which takes the place of whatever was done to the same heads, in the
 * same row if it is one row's.
 *
 * @param {string[]} texts
 * @param {Change} change
 * @param {Size} size
 */
export function withChange(texts, change, size) {
  return inOrder([...without(texts, change, size), interventionText(change)]);
}

/**
 * These changes without what they do to some heads: of a changed layer the other heads stay changed,
 * and what is done to one row is another thing than what is done to all.
 *
 * @type {(texts: string[], target: Target, size: Size) => string[]}
 */
export function without(texts, target, size) {
  const left = texts.flatMap((text) => {
    const change = parseIntervention(text);
    if (!change || holds(target, change)) return change ? [] : [text];
    return holds(change, target) ? parts(change, size).map(interventionText) : [text];
  });
  // A part may still hold what is put back: a kind's layer holds its head.
  const again = left.some((text) => {
    const change = parseIntervention(text);
    return change && (holds(change, target) || holds(target, change));
  });
  return again ? without(left, target, size) : inOrder(left);
}

/**
 * How many heads are switched off, if nothing else is changed.
 *
 * @type {(texts: string[], sizeOf: (kind: Kind) => Size | undefined) => number | null}
 */
export function switchedOff(texts, sizeOf) {
  let count = 0;
  for (const text of texts) {
    const change = parseIntervention(text);
    const size = change && sizeOf(change.kind);
    if (!size || change.effect !== "zero" || change.row !== undefined) return null;
    count += (change.layer === null ? size.layers : 1) * (change.head === null ? size.heads : 1);
  }
  return count;
}

/** Whether a target has all heads and rows of another. @type {(whole: Target, part: Target) => boolean} */
export function holds(whole, part) {
  return (
    whole.kind === part.kind &&
    whole.row === part.row &&
    (whole.layer === null || whole.layer === part.layer) &&
    (whole.head === null || whole.head === part.head)
  );
}

/**
 * @template {Target} Change
 * @param {Change} change  of a layer or a kind
 * @param {Size} size
 */
function parts(change, { layers, heads }) {
  const side = change.layer === null ? "layer" : "head";
  const count = change.layer === null ? layers : heads;
  return Array.from({ length: count }, (_, i) => ({ ...change, [side]: i }));
}

/**
 * However they came about, the same changes are the same question. What is done to one row comes after
 * what is done to all, and so acts on top of it.
 *
 * @param {string[]} texts
 */
export function inOrder(texts) {
  const rank = (/** @type {string} */ text) => {
    const { kind, layer, head, row } = parseIntervention(text) ?? {};
    return [kind ? KINDS.indexOf(kind) : KINDS.length, row ?? -1, layer ?? -1, head ?? -1];
  };
  return [...texts].sort((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    const [differs = 0] = a.map((side, i) => side - b[i]).filter(Boolean);
    return differs || (one < other ? -1 : 1);
  });
}

/** Changes of which there is but one of a sort. */
const ONE_OF = ["temperature=", "causal="];

/**
 * These changes with a part taken away, or put back if it was. There is one temperature, one mask.
 *
 * @param {string[]} texts
 * @param {string} part
 */
export function togglePart(texts, part) {
  const others = texts.filter((text) => text !== part);
  if (others.length < texts.length) return others;
  const same = ONE_OF.find((start) => part.startsWith(start));
  const rest = others.filter((text) => !same || !text.startsWith(same));
  return inOrder([...rest, part]);
}
