/**
 * A report of `transformer.check` out of a file, wherever the file came from. docs/checker.md
 * describes the fields.
 */

import { checkVersion, fieldsOf, isCount, isObject, isText, listOf, Unreadable } from "./fields.js";

/** @import { Values } from "./fields.js" */
/** @import { Numbers } from "./words.js" */
/** @typedef {typeof SEVERITIES[number]} Severity */
/** @typedef {typeof SIDES[number]} Side */
/** @typedef {typeof RECORDED[number]} RecordedKind */

/**
 * `seen` and `head` are places in the report's lists, of what shows this best; null, nothing does.
 *
 * @typedef {object} Finding
 * @property {string} code
 * @property {Severity} severity
 * @property {string} sentence
 * @property {string} evidence
 * @property {string} hint
 * @property {string} cost  in practice, if it is left as it is
 * @property {number | null} seen
 * @property {number | null} head
 */

/**
 * How much changing one token changed the logits at each position, [position][token].
 *
 * @typedef {{side: Side, tokens: number[], positions: number[], change: Numbers}} Seen
 */

/**
 * The weights of one head on one sentence, [query][key]; `layer` and `head` from 1.
 *
 * @typedef {{place: string, kind: RecordedKind, layer: number, head: number, weights: Numbers}} RecordedHead
 */

/**
 * @typedef {object} Report
 * @property {string} model  the class of the module
 * @property {string} language  of the texts, as HTML calls it
 * @property {Finding[]} findings  the gravest first
 * @property {string[]} unknown  codes that could not be judged
 * @property {string[]} problems  what could not be run
 * @property {Map<string, string>} reasons  of a code that could not be judged, why
 * @property {string[]} notes  what else is worth knowing
 * @property {string} headline  what came of it, in its language; "" of an older report
 * @property {boolean} examined  whether anything could be judged
 * @property {Seen[]} seen
 * @property {RecordedHead[]} heads
 */

export const VERSION = 1;

const SEVERITIES = /** @type {const} */ (["error", "warning", "advice"]);
const SIDES = /** @type {const} */ (["src", "tgt"]);
const RECORDED = /** @type {const} */ (["encoder_self", "decoder_self", "cross", "reversed"]);

/** What the page can still show: entries of a list, heads to choose from, rows and columns of a table. */
const MOST = { entries: 200, heads: 4096, tokens: 512 };

/** A language as BCP 47 writes it. */
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}$/i;

/**
 * Reads a report of the checker.
 *
 * @param {Values} values
 * @returns {Report}  of the fields that are known, and no others
 * @throws {Unreadable} if it contradicts the format or itself
 */
export function readReport(values) {
  checkVersion(values, VERSION);
  const field = fieldsOf(values);
  const texts = listOf(isText, MOST.entries);
  const things = listOf(isObject, MOST.entries);
  const seen = field("seen", things, []).map(readSeen);
  const heads = readHeads(field("attention", listOf(isObject, MOST.heads), []));
  return {
    model: field("model", isText, ""),
    language: field("language", isLanguage, "en"),
    findings: field("findings", things).map((values) => readFinding(values, seen, heads)),
    unknown: field("unknown", texts),
    problems: field("problems", texts, []),
    reasons: readReasons(field("reasons", isObject, {})),
    notes: field("notes", texts, []),
    headline: field("headline", isText, ""),
    examined: !field("unexamined", isText, ""),
    seen,
    heads,
  };
}

/** @type {(values: Values) => Map<string, string>} */
function readReasons(values) {
  const field = fieldsOf(values);
  const codes = Object.keys(values);
  if (codes.length > MOST.entries) throw new Unreadable("file_field", { field: "reasons" });
  return new Map(codes.map((code) => [code, field(code, isText)]));
}

/** @type {(values: Values, seen: Seen[], heads: RecordedHead[]) => Finding} */
function readFinding(values, seen, heads) {
  const field = fieldsOf(values);
  const picture = fieldsOf(field("picture", isObject, {}));
  /** @type {(name: string, of: unknown[]) => number | null} */
  const place = (name, of) => {
    const at = picture(name, isCount, of.length);
    return at < of.length ? at : null;
  };
  return {
    code: field("code", isText),
    severity: field("severity", oneOf(SEVERITIES)),
    sentence: field("sentence", isText),
    evidence: field("evidence", isText),
    hint: field("hint", isText),
    cost: field("cost", isText, ""),
    seen: place("seen", seen),
    head: place("head", heads),
  };
}

/** @type {(values: Values) => Seen} */
function readSeen(values) {
  const field = fieldsOf(values);
  const [side, tokens] = [field("side", oneOf(SIDES)), field("tokens", listOf(isCount))];
  const positions = field("positions", listOf(isCount));
  const change = readTable("change", values.change);
  const fits = change.rows === positions.length && change.columns === tokens.length;
  if (!fits || change.values.some((value) => value < 0))
    throw new Unreadable("file_field", { field: "change" });
  return { side, tokens, positions, change };
}

/** @type {(attentions: Values[]) => RecordedHead[]} */
function readHeads(attentions) {
  const heads = attentions.flatMap((values) => {
    const field = fieldsOf(values);
    const place = field("place", isText);
    const kind = field("kind", oneOf(RECORDED));
    const layer = field("layer", isCount);
    return field("weights", listOf(Array.isArray, MOST.heads)).map((table, i) => ({
      ...{ place, kind, layer, head: i + 1 },
      weights: readTable("weights", table),
    }));
  });
  if (heads.length > MOST.heads) throw new Unreadable("file_field", { field: "attention" });
  return heads;
}

/**
 * Numbers, as many in each row. Weights may be below 0: a mask added after the softmax makes them so.
 *
 * @type {(name: string, table: unknown) => Numbers}
 */
function readTable(name, table) {
  const wrong = () => new Unreadable("file_field", { field: name });
  if (!listOf(listOf(isNumber, MOST.tokens), MOST.tokens)(table)) throw wrong();
  const [rows, columns] = [table.length, table[0]?.length ?? 0];
  if (!columns || table.some((row) => row.length !== columns)) throw wrong();
  return { rows, columns, values: Float32Array.from(table.flat()) };
}

/** @type {(value: unknown) => value is number}  that float32 holds, and as 0 nothing but 0 */
function isNumber(value) {
  if (typeof value !== "number") return false;
  const held = Math.fround(value);
  return Number.isFinite(held) && (held === 0) === (value === 0);
}

/** @type {(value: unknown) => value is string} */
function isLanguage(value) {
  return typeof value === "string" && LANGUAGE.test(value);
}

/**
 * @template {string} Name
 * @param {readonly Name[]} names
 * @returns {(value: unknown) => value is Name}
 */
function oneOf(names) {
  return /** @type {(value: unknown) => value is Name} */ (
    (value) => /** @type {readonly unknown[]} */ (names).includes(value)
  );
}
