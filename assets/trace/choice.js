/** Which head is looked at, one of them or a mean or maximum over several, and how it is written. */

/** @typedef {"mean" | "max"} Aggregate */

/**
 * Counted from 0. Where both are aggregates, the heads of each layer are joined first.
 *
 * @typedef {{layer: number | Aggregate, head: number | Aggregate}} Choice
 */

/** @typedef {{layers: number, heads: number, counts?: number[]}} Size  `counts`: heads by layer, where layers differ */

/** @typedef {Choice & {kind: import("./kinds.js").Kind, query: number, key: number}} Cell */

/** @type {Aggregate[]} */
export const AGGREGATES = ["mean", "max"];

/**
 * The forms of a head's name, and its layer and head in each.
 *
 * @type {[form: RegExp, parts: (one: string, other: string) => string[]][]}
 */
const FORMS = [
  [/^L([1-9]\d{0,2})H([1-9]\d{0,2})$/, (layer, head) => [layer, head]],
  [/^L([1-9]\d{0,2})\.(mean|max)$/, (layer, how) => [layer, how]],
  [/^H([1-9]\d{0,2})\.(mean|max)$/, (head, how) => [how, head]],
  [/^(mean|max)$/, (how) => [how, how]],
  [/^(mean|max)\.(mean|max)$/, (layer, head) => [layer, head]],
];

/**
 * The short form that people and addresses use, counted from 1: "L2H4"; "L2.mean" is over the
 * heads of a layer, "H4.mean" over the layers, "mean" over all; "mean.max" is the mean over the
 * layers of the maximum over their heads.
 *
 * @param {Choice} choice
 */
export function headName({ layer, head }) {
  if (typeof layer === "string" && typeof head === "string") {
    return layer === head ? layer : `${layer}.${head}`;
  }
  if (typeof layer === "string") return `H${Number(head) + 1}.${layer}`;
  return typeof head === "string" ? `L${layer + 1}.${head}` : `L${layer + 1}H${head + 1}`;
}

/**
 * Reads a head's name.
 *
 * @param {string} name  as `headName` writes it
 * @returns {Choice | null}  null if it is of another form
 */
export function parseHead(name) {
  for (const [form, parts] of FORMS) {
    const match = form.exec(name);
    if (!match) continue;
    const [layer, head] = parts(match[1], match[2]).map(parsePart);
    return { layer, head };
  }
  return null;
}

/** @type {(part: string) => number | Aggregate} */
function parsePart(part) {
  return part === "mean" || part === "max" ? part : Number(part) - 1;
}

/** Whether a choice is one head, rather than a mean or a maximum over several. @type {(choice: Choice | null | undefined) => choice is {layer: number, head: number}} */
export function isOneHead(choice) {
  return typeof choice?.layer === "number" && typeof choice.head === "number";
}

/** Layer by layer, where layers differ those that there are. @param {Size} weights */
export function everyHead({ layers, heads, counts }) {
  return Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: counts?.[layer] ?? heads }, (_, head) => ({ layer, head })),
  ).flat();
}

/** Whether two choices are of the same head, or of the same heads joined alike. @type {(one: Choice | undefined, other: Choice | undefined) => boolean} */
export function sameHead(one, other) {
  return one?.layer === other?.layer && one?.head === other?.head;
}

/** Whether weights have the head of a choice. @type {(choice: Choice, weights: Size) => boolean}  of an aggregate, whether there is anything to join */
export function hasHead({ layer, head }, { layers, heads, counts }) {
  if (typeof layer === "number" && layer >= layers) return false;
  const most = counts ? (typeof layer === "number" ? counts[layer] : Math.max(...counts)) : heads;
  return typeof head === "string" ? most > 0 : head < most;
}
