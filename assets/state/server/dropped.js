/** Files that a person drops onto the page: which there are, and what is in them. */

import { isObject, Unreadable } from "../../trace/fields.js";
import { KINDS } from "../../trace/kinds.js";
import { isZip, readNpz } from "../../trace/npz.js";
import { SECOND } from "../../trace/payload.js";
import { readReport } from "../../trace/report.js";
import { readTrace } from "../../trace/saved.js";
import { base64Of } from "../../trace/unpack.js";

/** @import { Trace } from "../../trace/trace.js" */
/** @typedef {Record<string, any>} Values  of JSON */

/**
 * What was in a file.
 *
 * @typedef {{trace: Trace} | {report: import("../../trace/report.js").Report}} Content
 */

/**
 * Files say what they are, a trace under `schema`, a report of the checker under `format`; each sort
 * has a reader, which refuses what it should not. Whoever adds one shows its content in `fileActions`.
 *
 * @type {{says: [name: string, value: string], read: (values: Values) => Content}[]}
 */
const READERS = [
  { says: ["schema", "headlight-trace"], read: (values) => ({ trace: readTrace(values) }) },
  { says: ["format", "headlight-report"], read: (values) => ({ report: readReport(values) }) },
];

/** Where a report that is a page holds its values; `transformer/checker/report.py` writes it. */
const REPORT = /<script type="application\/json" id="headlight-report">([^<]*)<\/script>/;

/** Millions of bytes, of a text. Twelve layers of twelve heads at 96 tokens have 21. */
const MOST = 64;

/** Of an archive, what comes out of it: as much as a server gives, 28 layers of 16 heads at 640 tokens. */
const MOST_ARRAYS = 740;

/** Bytes of its labels. */
const MOST_LABELS = 64e6;

/** Lists and objects of a file: a table's rows and a token's candidates are far fewer. */
const MOST_PARTS = 500_000;

/**
 * @param {Blob} file
 * @returns {Promise<Content>}
 * @throws {Unreadable} whatever is wrong with it
 */
export async function readDropped(file) {
  try {
    const values = await valuesOf(file);
    const reader = READERS.find(({ says: [name, value] }) => values[name] === value);
    if (!reader) throw new Unreadable("file_unknown");
    return reader.read(values);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable("file_broken");
  }
}

/**
 * The encoding that first bytes tell: PowerShell writes what a command prints in UTF-16.
 *
 * @param {Uint8Array} bytes
 */
function encodingOf([first, second]) {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** @type {(file: Blob) => Promise<Values>} */
async function valuesOf(file) {
  if (isZip(new Uint8Array(await file.slice(0, 8).arrayBuffer()))) return unzipped(file);
  if (file.size > MOST * 1e6) throw new Unreadable("file_large", { limit: MOST });
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes).trimStart();
  if (/^<!doctype html/i.test(text)) {
    const [, report] = REPORT.exec(text) ?? [];
    if (!report) throw new Unreadable("file_html");
    return parsed(report);
  }
  if (!text.startsWith("{")) throw new Unreadable("file_unknown");
  return parsed(text);
}

/**
 * A text as JSON. Sixty megabytes of numbers and of base64 are parsed in no time; of empty objects they
 * take gigabytes.
 *
 * @param {string} text
 * @returns {Values}
 */
function parsed(text) {
  let parts = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++parts > MOST_PARTS) throw new Unreadable("file_broken");
    }
  }
  return JSON.parse(text);
}

/**
 * An archive as the JSON that says the same; of a large one numbers stay bytes.
 *
 * @param {Blob} file
 */
async function unzipped(file) {
  const arrays = await readNpz(file, MOST_ARRAYS * 1e6, MOST * 1e6);
  const labels = arrays.get("labels");
  if (labels?.type !== "|u1") throw new Unreadable("file_unknown");
  if (labels.bytes.length > MOST_LABELS) throw new Unreadable("file_broken");
  /** @type {Values} */
  const values = parsed(new TextDecoder().decode(labels.bytes));
  const isHalved = [...arrays.values()].some(({ dtype }) => dtype === "float16");
  if (isHalved && values.version !== SECOND) throw new Unreadable("file_large", { limit: MOST });
  /** Each once: an array that stands for a thousand layers would become a thousand. */
  const named = new Set();
  /** @type {(name: unknown, field: string) => object} */
  const packed = (name, field) => {
    const array = arrays.get(/** @type {string} */ (name));
    if (array?.type !== "<f4" || named.has(name)) throw new Unreadable("file_field", { field });
    named.add(name);
    const { shape, dtype, bytes } = array;
    return { shape, dtype, data: dtype === "float16" ? bytes : base64Of(bytes) };
  };
  /** @type {(names: unknown, field: string) => (object | null)[]} */
  const byLayer = (names, field) => {
    if (!Array.isArray(names)) throw new Unreadable("file_field", { field });
    return names.map((name) => (name === null ? null : packed(name, field)));
  };
  for (const kind of KINDS) {
    // Where labels tell by layer, they name each one's array; else it has the kind's own name.
    const names = values.version === SECOND ? values[kind] : null;
    if (Array.isArray(names)) values[kind] = byLayer(names, kind);
    else values[kind] = arrays.has(kind) ? packed(kind, kind) : null;
  }
  if (values.version === SECOND && isObject(values.sink)) {
    const sinks = Object.entries(values.sink).map(([kind, names]) => [
      kind,
      byLayer(names, "sink"),
    ]);
    values.sink = Object.fromEntries(sinks);
  }
  return values;
}
