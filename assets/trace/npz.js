/**
 * NumPy's archives: a zip of arrays. Its index at the end says where each lies; nothing that a file
 * claims is believed further than its bytes and the limit reach.
 *
 * Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; numpy.lib.format.
 */

import { Unreadable } from "./fields.js";
import { half } from "./half.js";

/**
 * In C order. `dtype` is what the bytes are by now: where the arrays are too large to be kept as they
 * are, float16 of what was float32.
 *
 * @typedef {{type: string, dtype: "float16" | "float32", shape: number[], bytes: Uint8Array}} NpyArray
 */

const INDEX_END = { mark: 0x06054b50, length: 22, comment: 0xffff };
const INDEX_ENTRY = { mark: 0x02014b50, length: 46 };
const FILE = { mark: 0x04034b50, length: 30 };
const ENCRYPTED = 1;

/** Arrays of an archive: each costs a stream of its own. */
const MOST_ARRAYS = 1000;

/** Bytes of the index of so many. */
const MOST_INDEX = 1e6;

/** Bytes of numbers that are read at once. */
const PIECE = 2 ** 22;
const [STORED, DEFLATED] = [0, 8];

/** Whether bytes begin as an archive does. @param {Uint8Array} bytes */
export function isZip(bytes) {
  return bytes.length > 4 && viewOf(bytes).getUint32(0, true) === FILE.mark;
}

/**
 * Reads the arrays of NumPy's archive, never more of it at once than a piece of one.
 *
 * @param {Blob} file  that ends in .npz
 * @param {number} most  bytes that all arrays together may take in it
 * @param {number} [whole]  bytes up to which they are kept as they are
 * @returns {Promise<Map<string, NpyArray>>}  by their names
 * @throws {Unreadable} if they take more
 * @throws if the archive is broken or encrypted
 */
export async function readNpz(file, most, whole = most) {
  const entries = await entriesOf(file);
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > most) throw new Unreadable("file_large", { limit: most / 1e6 });
  /** @type {Map<string, NpyArray>} */
  const arrays = new Map();
  for (const entry of entries) {
    const content = await contentOf(file, entry);
    arrays.set(entry.name, await readNpy(content, entry, size > whole));
  }
  return arrays;
}

/** @typedef {{name: string, method: number, packed: number, size: number, start: number}} Entry */

/** @type {(file: Blob) => Promise<Entry[]>} */
async function entriesOf(file) {
  const [count, from] = await findIndex(file);
  if (count > MOST_ARRAYS) throw new RangeError(`${count} arrays`);
  const bytes = await bytesAt(file, from, MOST_INDEX);
  const view = viewOf(bytes);
  const entries = [];
  for (let i = 0, at = 0; i < count; i++) {
    if (view.getUint32(at, true) !== INDEX_ENTRY.mark) throw new RangeError("no index of a zip");
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(
      bytes.subarray(at + INDEX_ENTRY.length).subarray(0, nameLength),
    );
    const start = view.getUint32(at + 42, true);
    at +=
      INDEX_ENTRY.length +
      nameLength +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
    if (!name.endsWith(".npy")) continue;
    if (flags & ENCRYPTED) throw new RangeError(`${name} cannot be read`);
    entries.push({ name: name.slice(0, -".npy".length), method, packed, size, start });
  }
  return entries;
}

/** @type {(file: Blob) => Promise<[count: number, from: number]>}  entries, and where the first one is */
async function findIndex(file) {
  const most = INDEX_END.length + INDEX_END.comment;
  const view = viewOf(await bytesAt(file, Math.max(0, file.size - most), most));
  for (let at = view.byteLength - INDEX_END.length; at >= 0; at--) {
    if (view.getUint32(at, true) === INDEX_END.mark) {
      return [view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
    }
  }
  throw new RangeError("a zip without its end");
}

/** @type {(file: Blob, entry: Entry) => Promise<ReadableStream<Uint8Array>>}  inflated */
async function contentOf(file, { name, method, packed, start }) {
  const view = viewOf(await bytesAt(file, start, FILE.length));
  if (view.getUint32(0, true) !== FILE.mark) throw new RangeError("no file of a zip");
  const from = start + FILE.length + view.getUint16(26, true) + view.getUint16(28, true);
  if (from + packed > file.size) throw new RangeError("a zip that is cut short");
  const stream = file.slice(from, from + packed).stream();
  if (method === STORED) return stream;
  if (method !== DEFLATED) throw new RangeError(`${name} is compressed by method ${method}`);
  return stream.pipeThrough(new DecompressionStream("deflate-raw"));
}

const MAGIC = "\x93NUMPY";

/** @type {(content: ReadableStream<Uint8Array>, entry: Entry, halved: boolean) => Promise<NpyArray>} */
async function readNpy(content, { size }, halved) {
  const reader = content.getReader();
  let rest = /** @type {Uint8Array} */ (new Uint8Array());
  /** @param {number} length  of the bytes that come next */
  const take = async (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      if (!rest.length) {
        const { done, value } = await reader.read();
        if (done) throw new RangeError("less than it says");
        rest = value;
      }
      const part = rest.subarray(0, length - filled);
      bytes.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
    }
    return bytes;
  };
  try {
    const first = await take(10);
    if (String.fromCharCode(...first.subarray(0, MAGIC.length)) !== MAGIC) {
      throw new RangeError("no array of NumPy's");
    }
    const more = first[MAGIC.length] === 1 ? new Uint8Array(2) : await take(2);
    const length = viewOf(first).getUint16(8, true) + 2 ** 16 * viewOf(more).getUint16(0, true);
    const from = first[MAGIC.length] === 1 ? 10 : 12;
    if (from + length > size) throw new RangeError("a header beyond its array");
    const header = new TextDecoder("latin1").decode(await take(length));
    const type = /'descr': '([^']+)'/.exec(header)?.[1];
    const shape = /'shape': \(([\d, ]*)\)/.exec(header)?.[1];
    if (!type || shape === undefined || !/'fortran_order': False/.test(header)) {
      throw new RangeError(`an array of another form: ${header}`);
    }
    const sides = shape.split(",").flatMap((side) => (side.trim() ? [Number(side)] : []));
    const isHalf = halved && type === "<f4";
    const end = size - from - length;
    const bytes = new Uint8Array(isHalf ? end / 2 : end);
    for (let at = 0; at < end; at += PIECE) {
      const piece = await take(Math.min(PIECE, end - at));
      if (isHalf) halve(new Float32Array(piece.buffer), new Uint16Array(bytes.buffer, at / 2));
      else bytes.set(piece, at);
    }
    if (rest.length || !(await reader.read()).done) throw new RangeError("more than it says");
    return { type, dtype: isHalf ? "float16" : "float32", shape: sides, bytes };
  } finally {
    // What is broken has said so.
    reader.cancel().catch(() => {});
  }
}

/** @type {(floats: Float32Array, halves: Uint16Array) => void} */
function halve(floats, halves) {
  for (let i = 0; i < floats.length; i++) halves[i] = half(floats[i]);
}

/** @type {(file: Blob, from: number, most: number) => Promise<Uint8Array>} */
async function bytesAt(file, from, most) {
  return new Uint8Array(await file.slice(from, from + most).arrayBuffer());
}

/** @param {Uint8Array} bytes */
function viewOf({ buffer, byteOffset, byteLength }) {
  return new DataView(buffer, byteOffset, byteLength);
}
