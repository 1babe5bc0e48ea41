/** The SHA-256 of a file, so that a flipped bit is found (`transformer/checkpoint/checksums.py`). */

/**
 * The SHA-256 of bytes.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<string>}  hex digits
 */
export async function sha256(bytes) {
  // Browsers have it for pages that came by https, or from this machine.
  const digest = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : plainSha256(bytes);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The first 32 bits of the fractions of square roots and cube roots of the first primes. */
const PRIMES = primes(64);
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

/**
 * The same in plain JavaScript. Source: FIPS 180-4, section 6.2.
 *
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function plainSha256(bytes) {
  const state = START.slice();
  const whole = bytes.length - (bytes.length % 64);
  const words = new Uint32Array(64);
  for (let at = 0; at < whole; at += 64) compress(state, words, bytes, at);
  // What is left, a one, zeros, and the length in bits: one block more, or two.
  const rest = bytes.subarray(whole);
  const last = new Uint8Array(rest.length < 56 ? 64 : 128);
  last.set(rest);
  last[rest.length] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(last.length - 4, bytes.length * 8);
  for (let at = 0; at < last.length; at += 64) compress(state, words, last, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setUint32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

/** @type {(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, at: number) => void} */
function compress(state, words, bytes, at) {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    words[i] =
      (bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3];
  }
  for (let i = 16; i < 64; i++) {
    const [x, y] = [words[i - 15], words[i - 2]];
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    words[i] = words[i - 16] + small + words[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = (h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const other = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] += word;
}

/** @type {(word: number, by: number) => number} */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** @param {number} root */
function fraction(root) {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const numbers = [];
  for (let n = 2; numbers.length < count; n++) if (numbers.every((p) => n % p)) numbers.push(n);
  return numbers;
}
