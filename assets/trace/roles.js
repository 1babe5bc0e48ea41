/** What a cell can stand for: the token itself, a neighbour, the end (`transformer/inside/roles.py`). */

/** @import { Kind } from "./kinds.js" */
/** @typedef {"itself" | "previous" | "next" | "induction" | "first" | "end" | "punctuation"} CellRole */
/** The source of the word that a row writes, or has just read: `source_links.js` knows. */
/** @typedef {"written" | "read"} AlignedRole */

/** A role needs so much more attention than a head has for it that attends to all equally. */
export const CLEAR = 0.2;

/**
 * Rows that a role is told from, where it is by chance that a text has any.
 *
 * @type {Partial<Record<string, number>>}
 */
export const FEWEST = { induction: 4 };

export const EOS = "</s>";

/** @type {Record<CellRole, (query: number, key: number, labels: string[]) => boolean>} */
const STANDS = {
  itself: (query, key) => key === query,
  previous: (query, key) => key === query - 1,
  next: (query, key) => key === query + 1,
  // Queries and keys are the same tokens there: what followed an earlier copy of the one being read.
  induction: (query, key, labels) => key > 0 && key <= query && labels[key - 1] === labels[query],
  first: (_, key) => key === 0,
  end: (_, key, labels) => labels[key] === EOS,
  punctuation: (_, key, labels) => isPunctuation(labels[key]),
};

/**
 * Queries and keys of cross-attention are different sentences, so no key is a query's neighbour; the
 * decoder reads nothing later than the query, and never `</s>`. It alone predicts what comes next, so it
 * alone can look up what came next before.
 *
 * @type {Record<Kind, CellRole[]>}
 */
export const PLACES_OF = {
  encoder_self: ["itself", "previous", "next", "first", "end", "punctuation"],
  decoder_self: ["itself", "previous", "induction", "first", "punctuation"],
  cross: ["first", "end", "punctuation"],
};

/** All that a head of a kind may do. @type {Record<Kind, (CellRole | AlignedRole)[]>} */
export const ROLES_OF = { ...PLACES_OF, cross: [...PLACES_OF.cross, "written", "read"] };

/**
 * @param {Kind} kind
 * @param {number} query
 * @param {number} key  that the query may see
 * @param {string[]} labels  of all keys
 * @returns {CellRole | null}  a cell with two names, such as the first token in the second row, speaks
 *   for neither
 */
export function roleOf(kind, query, key, labels) {
  const names = PLACES_OF[kind].filter((role) => STANDS[role](query, key, labels));
  return names.length === 1 ? names[0] : null;
}

/** @param {string} label */
export function isPunctuation(label) {
  return /^␣?\p{P}+$/u.test(label);
}
