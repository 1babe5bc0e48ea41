/**
 * Attention masks: 1 = may attend, as Python's True (`transformer/model/masks.py`). One sentence is
 * computed at a time, so that nothing is padding.
 */

/** @typedef {Uint8Array} Mask  [query, key] */

/**
 * Lets a token attend to itself and to what came before it.
 *
 * @param {number} queries  rows; they are the last of the `keys` positions, so that a decoding step,
 *   which computes one new row, gets that row of the square mask
 * @param {number} keys  columns
 * @returns {Mask}
 */
export function causalMask(queries, keys) {
  const mask = new Uint8Array(queries * keys);
  for (let query = 0; query < queries; query++) {
    mask.fill(1, query * keys, query * keys + keys - queries + query + 1);
  }
  return mask;
}
