/**
 * A QR code's modules, dark and light (ISO/IEC 18004). Of the eight masks it has the one that a camera
 * reads best. Out of uqr 0.1.3; the licence lies beside it.
 */

import { codewordsOf } from "./codewords.js";

/** Where a mask inverts. @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * @param {string} text
 * @returns {boolean[][] | null}  rows of modules, true where they are dark; null if the text has more
 *   than 2,331 bytes
 */
export function qrModules(text) {
  const coded = codewordsOf(text);
  if (!coded) return null;
  const { version, codewords } = coded;
  const code = drawn(version);
  drawCodewords(code, codewords);
  const masked = MASKS.map((_, mask) => withMask(code, mask));
  const bad = masked.map(badness);
  return masked[bad.indexOf(Math.min(...bad))];
}

/**
 * @typedef {object} Code
 * @property {boolean[][]} dark
 * @property {boolean[][]} fixed  where no data goes
 */

/** @type {(code: Code, x: number, y: number, dark: boolean) => void} */
function fix({ dark, fixed }, x, y, isDark) {
  if (!(y in dark) || !(x in dark)) return;
  dark[y][x] = isDark;
  fixed[y][x] = true;
}

/**
 * What is the same in all codes of a version.
 *
 * @param {number} version
 * @returns {Code}
 */
function drawn(version) {
  const size = 17 + 4 * version;
  const empty = () => Array.from({ length: size }, () => Array(size).fill(false));
  const code = { dark: empty(), fixed: empty() };
  for (let i = 0; i < size; i++) {
    fix(code, 6, i, i % 2 === 0);
    fix(code, i, 6, i % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ])
    drawSquare(code, x, y, 4);
  const places = marksOf(version, size);
  const last = places.length - 1;
  for (const [i, x] of places.entries())
    for (const [j, y] of places.entries()) {
      const isCorner = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0);
      if (!isCorner) drawSquare(code, x, y, 2);
    }
  drawFormat(code, 0);
  if (version >= 7) drawVersion(code, version);
  return code;
}

/**
 * Squares in one another, by which a camera finds the code: a large one within 4, a small one within 2.
 *
 * @type {(code: Code, x: number, y: number, radius: number) => void}
 */
function drawSquare(code, x, y, radius) {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      fix(code, x + dx, y + dy, radius === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
    }
}

/** Where the small squares stand, on both axes. @type {(version: number, size: number) => number[]} */
function marksOf(version, size) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
  const marks = Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step);
  return [6, ...marks.reverse()];
}

/** Of level M, whose two bits are 0. @type {(code: Code, mask: number) => void} */
function drawFormat(code, mask) {
  const size = code.dark.length;
  let rest = mask;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const bit = (/** @type {number} */ i) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) fix(code, 8, i, bit(i));
  fix(code, 8, 7, bit(6));
  fix(code, 8, 8, bit(7));
  fix(code, 7, 8, bit(8));
  for (let i = 9; i < 15; i++) fix(code, 14 - i, 8, bit(i));
  for (let i = 0; i < 8; i++) fix(code, size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i++) fix(code, 8, size - 15 + i, bit(i));
  fix(code, 8, size - 8, true);
}

/** @type {(code: Code, version: number) => void} */
function drawVersion(code, version) {
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1;
    const [a, b] = [code.dark.length - 11 + (i % 3), Math.floor(i / 3)];
    fix(code, a, b, dark);
    fix(code, b, a, dark);
  }
}

/** From the lower right, in columns two wide, up and down. @type {(code: Code, codewords: number[]) => void} */
function drawCodewords({ dark, fixed }, codewords) {
  const size = dark.length;
  let i = 0;
  for (let right = size - 1; right >= 1; right -= right === 8 ? 3 : 2) {
    const upward = ((right + 1) & 2) === 0;
    for (let row = 0; row < size; row++)
      for (const x of [right, right - 1]) {
        const y = upward ? size - 1 - row : row;
        if (fixed[y][x] || i >= 8 * codewords.length) continue;
        dark[y][x] = ((codewords[i >>> 3] >>> (7 - (i & 7))) & 1) === 1;
        i++;
      }
  }
}

/** @type {(code: Code, mask: number) => boolean[][]} */
function withMask({ dark, fixed }, mask) {
  const inverts = MASKS[mask];
  const rows = dark.map((row, y) => row.map((each, x) => each !== (!fixed[y][x] && inverts(x, y))));
  drawFormat({ dark: rows, fixed: fixed.map((row) => [...row]) }, mask);
  return rows;
}

/** How hard a camera has it: long runs, squares of one shade, what looks like a corner, one shade only. */
function badness(/** @type {boolean[][]} */ rows) {
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  const lines = [...rows, ...columns].map((line) => line.map(Number).join(""));
  let points = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (line.match(/(?=10111010000|00001011101)/g)?.length ?? 0);
  }
  for (let y = 1; y < rows.length; y++)
    for (let x = 1; x < rows.length; x++) {
      const shade = rows[y][x];
      const others = [rows[y - 1][x], rows[y][x - 1], rows[y - 1][x - 1]];
      if (others.every((each) => each === shade)) points += 3;
    }
  const share = rows.flat().filter(Boolean).length / rows.length ** 2;
  return points + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
