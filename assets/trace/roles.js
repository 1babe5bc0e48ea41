/** What a cell can stand for: the token itself, a neighbour, the end (`transformer/inside/roles.py`). */

import { PROTOCOL } from "./protocol.js";

/** @import { Kind } from "./kinds.js" */
/** @typedef {"itself" | "previous" | "next" | "induction" | "first" | "end" | "punctuation"} CellRole */
/** The source of the word that a row writes, or has just read: `source_links.js` knows. */
/** @typedef {"written" | "read"} AlignedRole */

/** A role needs so much more attention than a head has for it that attends to all equally. */
export const CLEAR = PROTOCOL.thresholds.clear;

/** Rows that a role is told from, where it is by chance that a text has any. */
export const FEWEST = PROTOCOL.thresholds.fewest;

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

/** All that a head of a kind may do. */
export const ROLES_OF = /** @type {Record<Kind, (CellRole | AlignedRole)[]>} */ (PROTOCOL.roles);

/** Of these, what a cell's own place tells. */
export const PLACES_OF = /** @type {Record<Kind, CellRole[]>} */ (
  Object.fromEntries(
    Object.entries(ROLES_OF).map(([kind, roles]) => [kind, roles.filter((role) => role in STANDS)]),
  )
);

/**
 * The role of a cell: which sort of token a query looks at there.
 *
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

/** Whether a token is nothing but punctuation. @param {string} label */
export function isPunctuation(label) {
  return /^␣?\p{P}+$/u.test(label);
}
