/**
 * Masks: who may attend to whom (`transformer/model/masks.py`). Texts that are computed at once stand below one
 * another, so that nothing is padding, and each of them attends by itself.
 */

/** 1 = may attend, as Python's True. @typedef {Uint8Array} Mask  [query, key] */

/** The first of some rows, and the one after the last. @typedef {[number, number]} Rows */

/**
 * One of the texts: its rows, the keys that they meet, and which of these each may attend to.
 *
 * @typedef {{queries: Rows, keys: Rows, mask: Mask | null}} Text  null allows everything
 */

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

/**
 * Texts that each attend to themselves.
 *
 * @param {number[]} lengths
 * @param {boolean} [causal]
 * @returns {Text[]}
 */
export function selfTexts(lengths, causal = false) {
  return rowsOfEach(lengths).map((rows, i) => {
    const mask = causal ? causalMask(lengths[i], lengths[i]) : null;
    return { queries: rows, keys: rows, mask };
  });
}

/**
 * Texts that each attend to a source.
 *
 * @param {number[]} lengths
 * @param {number[]} sources  the length of each one's own; of a single one, if all have the same
 * @returns {Text[]}
 */
export function crossTexts(lengths, sources) {
  const keys = rowsOfEach(sources);
  return rowsOfEach(lengths).map((queries, i) => ({
    ...{ queries, mask: null },
    keys: keys.length === 1 ? keys[0] : keys[i],
  }));
}

/** @type {(lengths: number[]) => Rows[]} */
function rowsOfEach(lengths) {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return [end - length, end];
  });
}
