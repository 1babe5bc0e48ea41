/**
 * Pictures as an animated GIF, which every slide, chat and document shows.
 *
 * Source: CompuServe, "Graphics Interchange Format, Version 89a", 1990; it repeats by Netscape's
 * application extension.
 */

const COLORS = 256;

/**
 * @param {ImageData[]} frames  opaque, of one size
 * @param {number[]} delays  of each, in hundredths of a second
 * @param {() => Promise<unknown>} [rest]  between two frames, so that the page stays alive
 * @returns {Promise<Uint8Array<ArrayBuffer>>}  the file
 */
export async function encodeGif(frames, delays, rest = async () => undefined) {
  const [{ width, height }] = frames;
  const colors = palette(frames);
  const nearest = indexer(colors);
  const file = [...ascii("GIF89a"), ...shorts(width, height)];
  file.push(0xf7, 0, 0); // a global table of 256 colours
  for (let i = 0; i < COLORS; i++) {
    const color = colors[i] ?? 0;
    file.push(color & 255, (color >> 8) & 255, (color >> 16) & 255);
  }
  file.push(0x21, 0xff, 11, ...ascii("NETSCAPE2.0"));
  file.push(3, 1, 0, 0, 0); // again and again
  for (const [i, frame] of frames.entries()) {
    file.push(0x21, 0xf9, 4, 0, ...shorts(delays[i]), 0);
    file.push(0, 0x2c, ...shorts(0, 0, width, height), 0);
    compress(pixelsOf(frame).map(nearest), file);
    await rest();
  }
  file.push(0x3b);
  return Uint8Array.from(file);
}

/** @param {ImageData} image  as one number a pixel: red, then green, then blue, from the lowest byte */
function pixelsOf({ data }) {
  return new Uint32Array(data.buffer, data.byteOffset, data.length / 4).map(
    (pixel) => pixel & 0xffffff,
  );
}

/**
 * The colours that are there most.
 *
 * @param {ImageData[]} frames
 */
function palette(frames) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const frame of frames) {
    let [last, run] = [-1, 0];
    const pixels = pixelsOf(frame);
    for (const color of pixels) {
      if (color !== last) {
        if (run) counts.set(last, (counts.get(last) ?? 0) + run);
        [last, run] = [color, 0];
      }
      run++;
    }
    if (run) counts.set(last, (counts.get(last) ?? 0) + run);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, COLORS)
    .map(([color]) => color);
}

/**
 * @param {number[]} colors
 * @returns {(color: number) => number}  the index of the one that is nearest
 */
function indexer(colors) {
  const places = new Map(colors.map((color, i) => [color, i]));
  return (color) => {
    const place = places.get(color);
    if (place !== undefined) return place;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (const [i, other] of colors.entries()) {
      const apart = [0, 8, 16].reduce(
        (sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2,
        0,
      );
      if (apart < least) [best, least] = [i, apart];
    }
    places.set(color, best);
    return best;
  };
}

/** Bits of one index, and those of the longest code. */
const [BITS, MOST_BITS] = [8, 12];
const [CLEAR, END] = [1 << BITS, (1 << BITS) + 1];

/**
 * Lempel, Ziv and Welch's compression, in blocks of at most 255 bytes.
 *
 * @param {Uint32Array} indices
 * @param {number[]} file
 */
function compress(indices, file) {
  /** @type {number[]} */
  const packed = [];
  let [buffer, filled, size, next] = [0, 0, BITS + 1, END + 1];
  /** @type {Map<number, number>}  from a code and the index after it to their own code */
  let codes = new Map();

  /** @param {number} code */
  function write(code) {
    buffer |= code << filled;
    filled += size;
    while (filled >= 8) {
      packed.push(buffer & 255);
      buffer >>>= 8;
      filled -= 8;
    }
  }

  write(CLEAR);
  let code = indices[0];
  for (const index of indices.subarray(1)) {
    const both = (code << BITS) | index;
    const longer = codes.get(both);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    write(code);
    if (next === 1 << MOST_BITS) {
      write(CLEAR);
      [codes, size, next] = [new Map(), BITS + 1, END + 1];
    } else {
      if (next === 1 << size) size++;
      codes.set(both, next++);
    }
    code = index;
  }
  write(code);
  write(END);
  if (filled) packed.push(buffer & 255);

  file.push(BITS);
  for (let start = 0; start < packed.length; start += 255) {
    const block = packed.slice(start, start + 255);
    file.push(block.length, ...block);
  }
  file.push(0);
}

/** @param {number[]} numbers  as two bytes each, the low one first */
function shorts(...numbers) {
  return numbers.flatMap((number) => [number & 255, number >> 8]);
}

/** @param {string} text */
function ascii(text) {
  return Array.from(text, (character) => character.charCodeAt(0));
}
