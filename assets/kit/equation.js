/** Equations whose two sides agree as they are written: a calculator gets the last digit that is shown. */

import { numberText } from "./numbers.js";

/** More decimals than a float32 has to tell. */
const MOST = 7;

/**
 * Terms with as few decimals as will do: rounded to these, they still make the result that is written.
 *
 * @param {number[]} terms
 * @param {(...terms: number[]) => number} compute  the result
 * @param {(result: number) => string} write
 * @param {number} [least]  decimals
 * @returns {string[]}
 */
export function agreeing(terms, compute, write, least = 2) {
  const result = write(compute(...terms));
  for (let digits = least; digits < MOST; digits++) {
    const rounded = terms.map((term) => Math.round(term * 10 ** digits) / 10 ** digits);
    if (write(compute(...rounded)) === result) return terms.map((x) => numberText(x, digits));
  }
  return terms.map((x) => numberText(x, MOST));
}
