/** Positions as sines and cosines (Vaswani et al. 2017, section 3.5). */

/**
 * The sinusoidal vectors of positions.
 *
 * @param {number} length  how many positions
 * @param {number} size  d_model, even
 * @returns {Float64Array[]}  a row for each position: sin, cos, sin, cos, …
 */
export function sinusoids(length, size) {
  return Array.from({ length }, (_, position) => sinusoid(position, size));
}

/** The sinusoidal vector of one position. @type {(position: number, size: number) => Float64Array}  one row */
export function sinusoid(position, size) {
  return Float64Array.from({ length: size }, (_, i) => {
    const angle = position / 10_000 ** ((i - (i % 2)) / size);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/**
 * After how many positions a pair of sine and cosine comes round again.
 *
 * @param {number} pair  from 0
 * @param {number} size  d_model
 */
export function wavelength(pair, size) {
  return 2 * Math.PI * 10_000 ** ((2 * pair) / size);
}
