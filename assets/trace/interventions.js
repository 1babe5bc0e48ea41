/**
 * Changes to the model, in the text form that Python has too: of heads, "cross.L2H4=zero" or
 * "cross.L2=uniform"; of one row of theirs, "cross@4=aim:5,6"; and of parts that are taken away,
 * "causal=off".
 */

import { KINDS, queryTokens } from "./kinds.js";

/** @import { Kind } from "./kinds.js" */
/** @typedef {typeof EFFECTS[number] | "aim"} Effect */

/**
 * One head, a layer's, or with neither all of a kind; every row of it, or this one: a step, in the
 * encoder a source token. All counted from 0.
 *
 * @typedef {{kind: Kind, layer: number | null, head: number | null, row?: number}} Target
 */

/**
 * What is done to these heads; `keys`, from 0, are what "aim" lets the row look at, in equal shares.
 *
 * @typedef {Target & {effect: Effect, keys?: number[]}} Change
 */

/** What a row can have, too: "zero" attends to nothing, "uniform" to all alike, "first" to the first token. */
const OF_WEIGHTS = /** @type {const} */ (["zero", "uniform", "first"]);

/** "mean" hands on its mean output, whatever it attends to, "double" twice its own. */
export const EFFECTS = /** @type {const} */ ([...OF_WEIGHTS, "mean", "double"]);

/** Parts of the whole model that are taken away or done wrongly, as they are offered. */
export const PARTS = /** @type {const} */ ([
  ...["scale=off", "causal=off", "causal=inverted", "positions=off", "heads=mixed"],
]);

const NUMBER = "([1-9]\\d{0,2})";
const KIND = `(${KINDS.join("|")})`;
const TOKEN = "[1-9]\\d{0,3}";
const AIM = `aim:${TOKEN}(?:,${TOKEN}){0,63}`;
const PLACE = `${KIND}(?:\\.L${NUMBER}(?:H${NUMBER})?)?`;

const HEADS = new RegExp(`^${PLACE}=(${EFFECTS.join("|")})$`);

const ROW = new RegExp(`^${PLACE}@(${TOKEN})=(${OF_WEIGHTS.join("|")}|${AIM})$`);

const PART = new RegExp(
  `^(?:(scale|causal|positions)=off|causal=(inverted)|heads=(mixed)|${KIND}(?:\\.L${NUMBER})?\\.(residual)=off)$`,
);

const TEMPERATURE = /^temperature=(\d{1,3}(?:\.\d{1,4})?)$/;

/** Around a change: ASCII's alone, of which Python and JavaScript think alike. */
const BLANKS = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g;

/**
 * Reads a change to heads.
 *
 * @param {string} text
 * @returns {Change | null}  null if it is of another form
 */
export function parseIntervention(text) {
  const row = ROW.exec(text);
  if (row) return rowChange(row);
  const match = HEADS.exec(text);
  if (!match) return null;
  const [, kind, layer, head, effect] = match;
  return {
    kind: /** @type {Kind} */ (kind),
    layer: layer ? Number(layer) - 1 : null,
    head: head ? Number(head) - 1 : null,
    effect: /** @type {Effect} */ (effect),
  };
}

/**
 * @param {RegExpExecArray} match
 * @returns {Change | null}  null where a row of the decoder would look at what it has not read
 */
function rowChange([, kind, layer, head, row, what]) {
  const target = {
    kind: /** @type {Kind} */ (kind),
    layer: layer ? Number(layer) - 1 : null,
    head: head ? Number(head) - 1 : null,
    row: Number(row) - 1,
  };
  const [effect, aims] = /** @type {[Effect, string?]} */ (what.split(":"));
  if (!aims) return { ...target, effect };
  const keys = inTurn(aims.split(",").map((key) => Number(key) - 1));
  if (target.kind === "decoder_self" && keys.some((key) => key > target.row)) return null;
  return { ...target, effect, keys };
}

/**
 * Each once, in order.
 *
 * @param {number[]} keys
 */
function inTurn(keys) {
  return [...new Set(keys)].sort((one, other) => one - other);
}

/**
 * Any change to the model, read: to one head, every head of a layer or of a kind; or a part taken away.
 * Layer and head count from 0; null means every one, and a kind of null the whole model.
 *
 * @typedef {object} Intervention
 * @property {string} text  the one form that means it, as Python writes it
 * @property {Kind | null} kind
 * @property {number | null} layer
 * @property {number | null} head
 * @property {string} effect  of heads, an `Effect`; of a part its name, or how it is done wrongly
 * @property {number} value  of a temperature
 * @property {number | null} row  of the weights: a step, and in the encoder a source token
 * @property {number[]} keys  that the row is aimed at, in order
 */

/** What no part of a change says. */
const WHOLE = { kind: null, layer: null, head: null, row: null, keys: [], value: 1 };

/**
 * Reads a change of any sort.
 *
 * @param {string} text  in any form: "temperature=02.50" is "temperature=2.5"
 * @returns {Intervention | null}  null if it is none
 */
export function readIntervention(text) {
  const trimmed = text.replace(BLANKS, "");
  const change = parseIntervention(trimmed);
  if (change) return { ...WHOLE, ...change, text: interventionText(change) };
  const [, divisor] = TEMPERATURE.exec(trimmed) ?? [];
  const value = Number(divisor ?? 0);
  if (value > 0) return { ...WHOLE, effect: "temperature", value, text: `temperature=${value}` };
  const [, off, inverted, mixed, kind, layer, residual] = PART.exec(trimmed) ?? [];
  const effect = off ?? inverted ?? mixed ?? residual;
  if (!effect) return null;
  return {
    ...{ ...WHOLE, text: trimmed, effect },
    kind: /** @type {Kind | undefined} */ (kind) ?? null,
    layer: layer ? Number(layer) - 1 : null,
  };
}

/**
 * A change in the one form that means it.
 *
 * @param {string} text
 * @returns {string | null}  null if it is of another form
 */
export function canonical(text) {
  return readIntervention(text)?.text ?? null;
}

/** Writes a change as `parseIntervention` reads it. @param {Change} change */
export function interventionText({ effect, keys = [], ...target }) {
  const place = `${target.kind}${placeName(target) && "."}${placeName(target)}`;
  const row = target.row === undefined ? "" : `@${target.row + 1}`;
  const aims = effect === "aim" ? `:${inTurn(keys).map((key) => key + 1)}` : "";
  return `${place}${row}=${effect}${aims}`;
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
 * Whether a change is of a row that is not there: a translation that ended earlier, a shorter source.
 *
 * @param {Pick<Change, "kind" | "row">} change
 * @param {import("./kinds.js").Tokens} tokens
 */
export function isPastTheEnd({ kind, row = 0 }, tokens) {
  return row >= queryTokens(tokens, kind).length;
}
