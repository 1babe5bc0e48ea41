/**
 * A text as the codewords of a QR code (ISO/IEC 18004): its bytes, and what mends a tenth of them.
 *
 * Brought to this form out of uqr 0.1.3, which is Project Nayuki's encoder; their licence lies beside
 * it. It writes bytes, of level M, and nothing else.
 */

/** Codewords that mend, of each block, by version from 1. */
const MENDING = [
  ...[10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26],
  ...[26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
];

/** Blocks by version, from 1. */
const BLOCKS = [
  ...[1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16],
  ...[17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49],
];

/** The largest, of 177 × 177 modules. */
export const VERSIONS = MENDING.length;

/** Bits that say that bytes follow. */
const BYTES = 0b0100;

/**
 * Modules of a version that hold data or what mends it.
 *
 * @param {number} version  from 1
 */
function room(version) {
  const all = (16 * version + 128) * version + 64;
  if (version < 2) return all;
  const marks = Math.floor(version / 7) + 2;
  return all - ((25 * marks - 10) * marks - 55) - (version >= 7 ? 36 : 0);
}

/** @param {number} version */
function dataCodewords(version) {
  return Math.floor(room(version) / 8) - MENDING[version - 1] * BLOCKS[version - 1];
}

/**
 * The smallest version that holds a text, and its codewords in the order in which they are drawn.
 *
 * @param {string} text
 * @returns {{version: number, codewords: number[]} | null}  null if it is longer than any holds
 */
export function codewordsOf(text) {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= VERSIONS; version++) {
    const countBits = version < 10 ? 8 : 16;
    const bits = 8 * dataCodewords(version);
    if (4 + countBits + 8 * bytes.length > bits) continue;
    const written = [bitsOf(BYTES, 4), bitsOf(bytes.length, countBits)];
    for (const byte of bytes) written.push(bitsOf(byte, 8));
    const data = written.join("").padEnd(Math.min(bits, 4 + 4 + countBits + 8 * bytes.length), "0");
    return { version, codewords: interleaved(version, filled(data, bits / 8)) };
  }
  return null;
}

/** @type {(value: number, count: number) => string} */
function bitsOf(value, count) {
  return value.toString(2).padStart(count, "0");
}

/**
 * Bits as codewords, and after them as many of those that mean nothing as there is room for.
 *
 * @param {string} bits
 * @param {number} count  of codewords
 */
function filled(bits, count) {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
  const codewords = (whole.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2));
  for (let nothing = 0xec; codewords.length < count; nothing ^= 0xec ^ 0x11)
    codewords.push(nothing);
  return codewords;
}

/** @type {(version: number, data: number[]) => number[]} */
function interleaved(version, data) {
  const [mending, count] = [MENDING[version - 1], BLOCKS[version - 1]];
  const codewords = Math.floor(room(version) / 8);
  const short = count - (codewords % count);
  const shortLength = Math.floor(codewords / count) - mending;
  const divisor = divisorOf(mending);
  let from = 0;
  const blocks = Array.from({ length: count }, (_, i) => {
    const block = data.slice(from, from + shortLength + (i < short ? 0 : 1));
    from += block.length;
    return { block, rest: restOf(block, divisor) };
  });
  /** @type {number[]} */
  const words = [];
  for (let i = 0; i <= shortLength; i++)
    for (const { block } of blocks) if (i < block.length) words.push(block[i]);
  for (let i = 0; i < mending; i++) for (const { rest } of blocks) words.push(rest[i]);
  return words;
}

/**
 * The product of (x − 2^i) over the field of 256 elements, the highest power's coefficient left out.
 *
 * @param {number} degree
 */
function divisorOf(degree) {
  /** @type {number[]} */
  const coefficients = [...Array(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++)
      coefficients[j] = times(coefficients[j], root) ^ (j + 1 < degree ? coefficients[j + 1] : 0);
    root = times(root, 2);
  }
  return coefficients;
}

/** @type {(data: number[], divisor: number[]) => number[]} */
function restOf(data, divisor) {
  const rest = divisor.map(() => 0);
  for (const each of data) {
    const factor = each ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [i, coefficient] of divisor.entries()) rest[i] ^= times(coefficient, factor);
  }
  return rest;
}

/** In the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1. @type {(x: number, y: number) => number} */
function times(x, y) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}
