/**
 * NumPy's archives: a zip of arrays. Its index at the end says where each lies; nothing that a file
 * claims is believed further than its bytes and the limit reach.
 *
 * Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; numpy.lib.format.
 */

/** @typedef {{type: string, shape: number[], bytes: Uint8Array}} NpyArray  in C order */

const INDEX_END = { mark: 0x06054b50, length: 22, comment: 0xffff };
const INDEX_ENTRY = { mark: 0x02014b50, length: 46 };
const FILE = { mark: 0x04034b50, length: 30 };
const ENCRYPTED = 1;

/** Arrays of an archive: each costs a stream of its own. */
const MOST_ARRAYS = 1000;
const [STORED, DEFLATED] = [0, 8];

/** Whether bytes begin as an archive does. @param {Uint8Array} bytes */
export function isZip(bytes) {
  return bytes.length > 4 && viewOf(bytes).getUint32(0, true) === FILE.mark;
}

/**
 * Reads the arrays of NumPy's archive.
 *
 * @param {Uint8Array} bytes  of a file that ends in .npz
 * @param {number} most  bytes that all arrays together may take
 * @returns {Promise<Map<string, NpyArray>>}  by their names
 * @throws if the archive is broken, encrypted, or holds more
 */
export async function readNpz(bytes, most) {
  const view = viewOf(bytes);
  /** @type {Map<string, NpyArray>} */
  const arrays = new Map();
  let left = most;
  let [count, at] = findIndex(view);
  if (count > MOST_ARRAYS) throw new RangeError(`${count} arrays`);
  for (; count > 0; count--) {
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
    if (flags & ENCRYPTED || size > left) throw new RangeError(`${name} cannot be read`);
    left -= size;
    const content = await inflate(contentAt(bytes, start, packed), method, size);
    arrays.set(name.slice(0, -".npy".length), readNpy(content));
  }
  return arrays;
}

/**
 * @param {DataView} view
 * @returns {[number, number]}  how many entries, and where the first one is
 */
function findIndex(view) {
  const last = view.byteLength - INDEX_END.length;
  for (let at = last; at >= Math.max(0, last - INDEX_END.comment); at--) {
    if (view.getUint32(at, true) === INDEX_END.mark) {
      return [view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
    }
  }
  throw new RangeError("a zip without its end");
}

/** @type {(bytes: Uint8Array, start: number, length: number) => Uint8Array} */
function contentAt(bytes, start, length) {
  const view = viewOf(bytes);
  if (view.getUint32(start, true) !== FILE.mark) throw new RangeError("no file of a zip");
  const names = view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  const from = start + FILE.length + names;
  if (from + length > bytes.length) throw new RangeError("a zip that is cut short");
  return bytes.subarray(from, from + length);
}

/**
 * @param {Uint8Array} packed
 * @param {number} method
 * @param {number} size  what it says that it becomes; more is not read
 */
async function inflate(packed, method, size) {
  if (method === STORED && packed.length === size) return packed;
  if (method !== DEFLATED) throw new RangeError(`compressed by method ${method}`);
  const content = new Uint8Array(size);
  let length = 0;
  const stream = new Blob([/** @type {BlobPart} */ (packed)]).stream();
  const reader = stream.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (length + value.length > size) {
      await reader.cancel();
      throw new RangeError("more than it says");
    }
    content.set(value, length);
    length += value.length;
  }
  if (length < size) throw new RangeError("less than it says");
  return content;
}

const MAGIC = "\x93NUMPY";

/** @type {(bytes: Uint8Array) => NpyArray} */
function readNpy(bytes) {
  const latin = new TextDecoder("latin1");
  const view = viewOf(bytes);
  if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC) {
    throw new RangeError("no array of NumPy's");
  }
  const [from, length] =
    bytes[MAGIC.length] === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  const header = latin.decode(bytes.subarray(from, from + length));
  const type = /'descr': '([^']+)'/.exec(header)?.[1];
  const shape = /'shape': \(([\d, ]*)\)/.exec(header)?.[1];
  if (!type || shape === undefined || !/'fortran_order': False/.test(header)) {
    throw new RangeError(`an array of another form: ${header}`);
  }
  const sides = shape.split(",").flatMap((side) => (side.trim() ? [Number(side)] : []));
  return { type, shape: sides, bytes: bytes.subarray(from + length) };
}

/** @param {Uint8Array} bytes */
function viewOf({ buffer, byteOffset, byteLength }) {
  return new DataView(buffer, byteOffset, byteLength);
}
