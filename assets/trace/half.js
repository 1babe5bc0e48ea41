/** Numbers as float16 has them. */

const one = new Float32Array(1);
const bits = new Uint32Array(one.buffer);

/**
 * The nearest IEEE 754 half precision number, ties to even.
 *
 * @param {number} value
 */
export function half(value) {
  one[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000;
  const exponent = (bits[0] >>> 23) & 0xff;
  const fraction = bits[0] & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction ? 0x200 : 0);
  const power = exponent - 112; // of half precision
  if (power >= 31) return sign | 0x7c00;
  if (power > 0) return sign | rounded((power << 23) | fraction, 13);
  // Below 2^-14 the leading one is written out; below 2^-25 nothing is left.
  return power < -10 ? sign : sign | rounded(0x800000 | fraction, 14 - power);
}

/**
 * @param {number} whole
 * @param {number} dropped  how many of its last bits
 */
function rounded(whole, dropped) {
  const quotient = whole >>> dropped;
  const rest = whole & ((1 << dropped) - 1);
  const middle = 1 << (dropped - 1);
  return quotient + Number(rest > middle || (rest === middle && (quotient & 1) === 1));
}
