/** Links between words that a person drew, and how far a model's are from them. */

/** @typedef {[number, number]} Link  source word, target word; both count from 0 */

/**
 * @typedef {object} Gold
 * @property {Link[]} sure
 * @property {Link[]} possible  the sure ones, too
 */

/** A text that is longer was not typed for one sentence. */
export const MAX_GOLD = 1000;

/**
 * Reads links in Pharaoh format, as `evaluate --align` does: `0-0 1-2 3?2`.
 *
 * @param {string} text
 * @returns {{gold: Gold} | {bad: string}}  or what is no link
 */
export function parseGold(text) {
  /** @type {Gold} */
  const gold = { sure: [], possible: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const match = /^(\d{1,4})([-?p])(\d{1,4})$/.exec(word);
    if (!match) return { bad: word };
    /** @type {Link} */
    const link = [Number(match[1]), Number(match[3])];
    if (match[2] === "-" && !has(gold.sure, link)) gold.sure.push(link);
    if (!has(gold.possible, link)) gold.possible.push(link);
  }
  return { gold };
}

/**
 * The first link to a word that is not there.
 *
 * @param {Gold} gold
 * @param {number} numSrc  words
 * @param {number} numTgt
 */
export function beyondWords({ possible }, numSrc, numTgt) {
  return possible.find(([src, tgt]) => src >= numSrc || tgt >= numTgt) ?? null;
}

/** Whether a link is among others. @type {(links: Link[], link: Link) => boolean} */
export function has(links, [src, tgt]) {
  return links.some(([i, j]) => i === src && j === tgt);
}

/**
 * The alignment error rate, 0 is perfect: 1 − (|A∩S| + |A∩P|) / (|A| + |S|), with A the links found,
 * S the sure and P the possible ones (Och and Ney 2003).
 *
 * @param {Link[]} links
 * @param {Gold} gold
 */
export function errorRate(links, { sure, possible }) {
  const agreed =
    links.filter((link) => has(sure, link)).length +
    links.filter((link) => has(possible, link)).length;
  const total = links.length + sure.length;
  return total ? 1 - agreed / total : 0;
}

/**
 * What a gold text belongs to: of another sentence, or another translation, it says nothing.
 *
 * @param {import("./trace.js").Trace} trace
 */
export function goldOf({ src, tgt_out }) {
  return [...src, "→", ...tgt_out].join(" ");
}
