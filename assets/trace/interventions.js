/**
 * Changes to the model, in the text form that Python has too: of heads, "cross.L2H4=zero" or
 * "cross.L2=uniform", and of parts that are taken away, "causal=off".
 */

import { KINDS } from "./kinds.js";

/** @typedef {import("./kinds.js").Kind} Kind */
/** @typedef {typeof EFFECTS[number]} Effect */

/**
 * One head, a layer's, or with neither all of a kind; counted from 0.
 *
 * @typedef {{kind: Kind, layer: number | null, head: number | null}} Target
 */

/** @typedef {{layers: number, heads: number}} Size  of the kind's weights */

/**
 * "zero" attends to nothing, "uniform" to everything alike, "first" to the first token; "mean" hands
 * on its mean output, whatever it attends to, "double" twice its own.
 */
export const EFFECTS = /** @type {const} */ (["zero", "uniform", "first", "mean", "double"]);

/** Parts of the whole model that are taken away or done wrongly, as they are offered. */
export const PARTS = /** @type {const} */ ([
  ...["scale=off", "temperature=2", "temperature=0.5", "causal=off", "causal=inverted"],
  ...["positions=off", "heads=mixed"],
]);

const NUMBER = "([1-9]\\d{0,2})";
const KIND = `(${KINDS.join("|")})`;

const HEADS = new RegExp(`^${KIND}(?:\\.L${NUMBER}(?:H${NUMBER})?)?=(${EFFECTS.join("|")})$`);

/** As traces and links of the first version have it: both counted from 0, `*` for every head. */
const OLD = new RegExp(`^${KIND}\\.(\\d{1,3})\\.(\\d{1,3}|\\*)=(zero|uniform|first)$`);

const PART = new RegExp(
  `^(?:(?:scale|causal|positions)=off|causal=inverted|heads=mixed|${KIND}(?:\\.L${NUMBER})?\\.residual=off)$`,
);

/**
 * @param {string} text
 * @returns {(Target & {effect: Effect}) | null}  null if it is of another form
 */
export function parseIntervention(text) {
  const found = HEADS.exec(text);
  const [, kind, layer, head, effect] = found ?? OLD.exec(text) ?? [];
  if (!kind) return null;
  const first = found ? 1 : 0;
  return {
    kind: /** @type {Kind} */ (kind),
    layer: layer ? Number(layer) - first : null,
    head: head && head !== "*" ? Number(head) - first : null,
    effect: /** @type {Effect} */ (effect),
  };
}

/**
 * A change in the one form that means it, as Python writes it: "temperature=02.50" is "temperature=2.5".
 *
 * @param {string} text
 * @returns {string | null}  null if it is of another form
 */
export function canonical(text) {
  const trimmed = text.trim();
  const change = parseIntervention(trimmed);
  if (change) return interventionText(change);
  const [, divisor] = /^temperature=(\d{1,3}(?:\.\d{1,4})?)$/.exec(trimmed) ?? [];
  if (divisor) return Number(divisor) > 0 ? `temperature=${Number(divisor)}` : null;
  return PART.test(trimmed) ? trimmed : null;
}

/** Of each of these there is one. */
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
  const kept = others.filter((text) => !same || !text.startsWith(same));
  return inOrder([...kept, part]);
}

/** @param {Target & {effect: string}} change */
export function interventionText({ effect, ...target }) {
  return `${target.kind}${placeName(target) && "."}${placeName(target)}=${effect}`;
}

/**
 * "L2H4", "L2" for a layer, "" for all of a kind.
 *
 * @param {Pick<Target, "layer" | "head">} target
 */
export function placeName({ layer, head }) {
  if (layer === null) return "";
  return head === null ? `L${layer + 1}` : `L${layer + 1}H${head + 1}`;
}

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
 * What has been done to a head, a layer or a kind as a whole.
 *
 * @param {string[]} texts
 * @param {Target | null} target
 * @returns {Effect | null}
 */
export function effectOn(texts, target) {
  const change = target && texts.map(parseIntervention).find((one) => one && holds(one, target));
  return change ? change.effect : null;
}

/**
 * These changes with another one, which takes the place of whatever was done to the same heads.
 *
 * @param {string[]} texts
 * @param {Target} target
 * @param {Effect} effect
 * @param {Size} size
 */
export function withChange(texts, target, effect, size) {
  return inOrder([...without(texts, target, size), interventionText({ ...target, effect })]);
}

/**
 * These changes without what they do to some heads: of a changed layer the other heads stay changed.
 *
 * @param {string[]} texts
 * @param {Target} target
 * @param {Size} size
 * @returns {string[]}
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
 * @param {string[]} texts
 * @param {(kind: Kind) => Size | undefined} sizeOf
 * @returns {number | null}
 */
export function switchedOff(texts, sizeOf) {
  let count = 0;
  for (const text of texts) {
    const change = parseIntervention(text);
    const size = change && sizeOf(change.kind);
    if (!size || change.effect !== "zero") return null;
    count += (change.layer === null ? size.layers : 1) * (change.head === null ? size.heads : 1);
  }
  return count;
}

/** @type {(whole: Target, part: Target) => boolean} */
export function holds(whole, part) {
  return (
    whole.kind === part.kind &&
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
 * However they came about, the same changes are the same question.
 *
 * @param {string[]} texts
 */
function inOrder(texts) {
  const rank = (/** @type {string} */ text) => {
    const { kind, layer, head } = parseIntervention(text) ?? {};
    return [kind ? KINDS.indexOf(kind) : KINDS.length, layer ?? -1, head ?? -1];
  };
  return [...texts].sort((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (one < other ? -1 : 1);
  });
}

/**
 * As an address has them: "cross.L2H4-decoder_self.L1.uniform-causal"; what is only switched off
 * needs no saying.
 *
 * @param {string[]} texts
 */
export function interventionsAddress(texts) {
  return texts.map((text) => text.replace(/=(zero|off)$/, "").replace("=", ".")).join("-");
}

const WRITTEN = new RegExp(
  `^(.+?)(?:[=.](${EFFECTS.join("|")}|off|inverted|mixed|\\d+(?:\\.\\d+)?))?$`,
);

/**
 * @param {string} address  as `interventionsAddress` writes it, or the text forms
 * @returns {string[] | null}
 */
export function parseInterventions(address) {
  const texts = address.split("-").map((part) => {
    const [, name, effect] = WRITTEN.exec(part) ?? [];
    return canonical(`${name}=${effect ?? "off"}`) ?? canonical(`${name}=${effect ?? "zero"}`);
  });
  return texts.every((text) => text !== null) ? inOrder(texts) : null;
}
