/** The geometry of a beam: rays between two rows of words as ribbons as wide as their weights. */

/** @import { Ray } from "../../trace/beam.js" */

/**
 * Where a word stands: its middle, and how wide it is, in CSS pixels from the left of what is seen.
 *
 * @typedef {{x: number, width: number}} Place
 */

/**
 * `edge`: on which side its word is out of sight, -1 or 1; 0 if it is seen.
 *
 * @typedef {{x: number, width: number, edge: number}} End
 * @typedef {{ray: Ray, lamp: End, word: End}} Ribbon
 */

/** Widths of all the light of a row where it leaves the lamp, and of a weight of 1 at a word. */
const [LAMP, SPOT] = [14, 48];

/** A beam that ends at the edge ends so far from it: there is its mark. */
const INSET = 7;

/**
 * A row's rays share the lamp's width as they share the row's weight, and lie side by side where
 * several heads meet at a word.
 *
 * @param {Ray[]} rays
 * @param {{words: Place[], lamps: Place[], view: number, heads: number, lampOf: (query: number) => number}} rows
 *   `words` above, `lamps` below; `view`: how wide a part of them is seen
 * @returns {Ribbon[]}  the faintest first, so that the strongest lie on top
 */
export function ribbonsOf(rays, { words, lamps, view, heads, lampOf }) {
  const ordered = [...rays].sort((one, other) => one.key - other.key || one.head - other.head);
  const lamp = stacked(ordered, lamps, ({ query }) => lampOf(query), LAMP / heads, view);
  const word = stacked(ordered, words, ({ key }) => key, SPOT / heads, view);
  return ordered
    .flatMap((ray) => {
      const [from, to] = [lamp.get(ray), word.get(ray)];
      return from && to ? [{ ray, lamp: from, word: to }] : [];
    })
    .sort((one, other) => one.ray.weight - other.ray.weight);
}

/**
 * Rays that end at the same word, side by side around its middle.
 *
 * @param {Ray[]} rays
 * @param {Place[]} places
 * @param {(ray: Ray) => number} wordOf  at which of these it ends
 * @param {number} full  how wide a weight of 1 is
 * @param {number} view
 * @returns {Map<Ray, End>}
 */
function stacked(rays, places, wordOf, full, view) {
  /** @type {Map<number, {rays: Ray[], total: number}>} */
  const groups = new Map();
  for (const ray of rays) {
    const group = groups.get(wordOf(ray)) ?? { rays: [], total: 0 };
    group.rays.push(ray);
    group.total += full * ray.weight;
    groups.set(wordOf(ray), group);
  }
  /** @type {Map<Ray, End>} */
  const ends = new Map();
  for (const [word, group] of groups) {
    const place = places[word];
    if (!place) continue;
    const edge = place.x < 0 ? -1 : place.x > view ? 1 : 0;
    const middle = edge < 0 ? INSET : edge > 0 ? view - INSET : place.x;
    // Many rows may look at one word: their light still lies within its spot.
    const shrunk = Math.min(1, (1.5 * SPOT) / group.total);
    let at = middle - (shrunk * group.total) / 2;
    for (const ray of group.rays) {
      const width = shrunk * full * ray.weight;
      ends.set(ray, { x: at + width / 2, width, edge });
      at += width;
    }
  }
  return ends;
}

/**
 * A ribbon's corners, from the lamp's left up and around; none is thinner than can be seen.
 *
 * @param {Ribbon} ribbon
 * @param {number} height  between the rows
 * @returns {[number, number][]}
 */
export function corners({ lamp, word }, height) {
  const [below, above] = [lamp, word].map(({ width }) => Math.max(0.8, width) / 2);
  return [
    [lamp.x - below, height],
    [word.x - above, 0],
    [word.x + above, 0],
    [lamp.x + below, height],
  ];
}

/**
 * Which word of a row is nearest to a point.
 *
 * @param {Place[]} places
 * @param {number} x
 * @returns {number}  -1 of none
 */
export function nearest(places, x) {
  const off = places.map((place) => Math.abs(place.x - x) - place.width / 2);
  return off.indexOf(Math.min(...off));
}

/**
 * Light on its way from one word to the next: a share of the new beam's places, the rest the last's.
 *
 * @param {Ray[]} before
 * @param {Ray[]} after
 * @param {number} share  from 0 to 1
 * @returns {Ray[]}  of the new row, its weights between both
 */
export function between(before, after, share) {
  const name = (/** @type {Ray} */ { head, key }) => `${head} ${key}`;
  const query = after[0]?.query ?? before[0]?.query ?? 0;
  /** @type {Map<string, Ray>} */
  const mixed = new Map();
  for (const ray of before)
    mixed.set(name(ray), { ...ray, query, weight: (1 - share) * ray.weight });
  for (const ray of after) {
    const weight = share * ray.weight + (mixed.get(name(ray))?.weight ?? 0);
    mixed.set(name(ray), { ...ray, weight });
  }
  return [...mixed.values()];
}

/**
 * The colour of a head: within one layer its own, as in the lines; of several layers, its place's.
 *
 * @param {import("../../trace/choice.js").Choice[]} choices
 * @param {number} slot
 */
export function hueOf(choices, slot) {
  const { layer, head } = choices[slot];
  const together = choices.every((other) => other.layer === layer);
  return together && typeof head === "number" ? head : slot;
}
