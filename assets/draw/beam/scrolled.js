/** Where rows that are longer than the window are scrolled to. */

/** @import { Place } from "./ribbons.js" */

/**
 * So that a lamp is seen, and with it the word that it lights, if both fit.
 *
 * @param {{view: number, whole: number, scrolled: number}} rows  how much is seen, how long they are, and where
 *   they stand; CSS pixels
 * @param {Place} lamp
 * @param {Place} [word]
 * @returns {number | null}  null: it stays
 */
export function scrolledTo({ view, whole, scrolled }, lamp, word) {
  const [from, to] = [scrolled, scrolled + view];
  const inside = ({ x, width } = lamp) => x - width / 2 >= from && x + width / 2 <= to;
  if (inside() && (!word || inside(word))) return null;
  // Both, if they fit; else the word that is being written.
  const fit = word && Math.abs(word.x - lamp.x) + Math.max(word.width, lamp.width) <= view;
  const both = fit ? (word.x + lamp.x) / 2 : lamp.x;
  return Math.round(Math.min(whole - view, Math.max(0, both - view / 2)));
}
