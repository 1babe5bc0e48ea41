/** Words that a beam reaches and the window does not: the strongest stand at the end of the row where they lie. */

/** @import { Ray } from "../../trace/beam.js" */
/** @import { Place } from "./ribbons.js" */

/** Words of a row that are always in sight. */
const STRONGEST = 5;

/** Between two of them, in CSS pixels. */
const GAP = 4;

/** @typedef {{key: number, weight: number, x: number}} Far  `x`: its middle, in CSS pixels of what is seen */

/**
 * The words out of sight that the strongest rays lead to, on either side.
 *
 * @param {Ray[]} rays
 * @param {Place[]} words
 * @param {{view: number, size: number}} room  how much is seen, and how wide one of them stands, in CSS pixels
 * @returns {{left: Far[], right: Far[]}}  in the order of the row
 */
export function farWords(rays, words, { view, size }) {
  /** @type {Map<number, number>} */
  const weights = new Map();
  for (const { key, weight } of rays) {
    weights.set(key, Math.max(weight, weights.get(key) ?? 0));
  }
  const strongest = [...weights]
    .filter(([key]) => words[key])
    .sort(([, one], [, other]) => other - one)
    .slice(0, STRONGEST)
    .sort(([one], [other]) => one - other);
  let [left, right] = [0, 0];
  const isLeft = (/** @type {number} */ key) => words[key].x < left * (size + GAP);
  const isRight = (/** @type {number} */ key) => words[key].x > view - right * (size + GAP);
  // What stands at the ends hides what lies there, which may be one of them.
  for (let before = -1; before !== left + right; ) {
    before = left + right;
    left = strongest.filter(([key]) => isLeft(key)).length;
    right = strongest.filter(([key]) => !isLeft(key) && isRight(key)).length;
  }
  const placed = (/** @type {typeof strongest} */ some, /** @type {number} */ from) =>
    some
      .sort(([one], [other]) => words[one].x - words[other].x)
      .map(([key, weight], i) => ({ key, weight, x: from + i * (size + GAP) + size / 2 }));
  return {
    left: placed(
      strongest.filter(([key]) => isLeft(key)),
      0,
    ),
    right: placed(
      strongest.filter(([key]) => !isLeft(key) && isRight(key)),
      view - right * (size + GAP) + GAP,
    ),
  };
}
