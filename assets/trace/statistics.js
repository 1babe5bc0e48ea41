/** What each head does, in numbers: over this sentence, and over many. */

import { KINDS } from "./kinds.js";
import { CLEAR, EOS } from "./roles.js";

/** @import { Statistics } from "./answers.d.ts" */
/** @import { Kind } from "./kinds.js" */

/** What can be measured of a head; those of the second line are shares of its weight. */
export const MEASURES = /** @type {const} */ ([
  ...["sharpness", "confidence", "entropy", "offset"],
  ...["itself", "previous", "next", "induction", "first", "end", "punctuation", "written", "read"],
]);

/** @typedef {typeof MEASURES[number]} Measure */

/** @type {readonly Measure[]}  what says something only where a text has an end of its own */
const OF_END = ["confidence", "end"];

/**
 * What can be measured of the heads of a trace: where no token is </s>, nothing is left out of it.
 *
 * @param {import("./kinds.js").Tokens} tokens
 */
export function measurable({ src, tgt_in }) {
  const ends = src.includes(EOS) || tgt_in.includes(EOS);
  return ends ? [...MEASURES] : MEASURES.filter((measure) => !OF_END.includes(measure));
}

/** Harm to the translation, nats, by layer and head: what it loses with the head switched off. */
/** @typedef {Partial<Record<Kind, number[][] | null>>} Sweep */

/**
 * One head's row in the table.
 *
 * @typedef {object} HeadRow
 * @property {Kind} kind
 * @property {number} layer
 * @property {number} head
 * @property {string | null} role
 * @property {number | null} share  on what its role names
 * @property {number | null} chance  the same by chance
 * @property {Partial<Record<Measure | "harm", number | null>>} numbers
 */

/** The rows of the heads' table: each head with its measures. @type {(statistics: Statistics, swept: Sweep) => HeadRow[]} */
export function headRows(statistics, swept) {
  return KINDS.flatMap((kind) => {
    const of = statistics[kind];
    if (!of) return [];
    return of.roles.flatMap((heads, layer) =>
      heads.map((role, head) => {
        /** @type {HeadRow["numbers"]} */
        const numbers = { harm: swept[kind]?.[layer]?.[head] ?? null };
        for (const measure of MEASURES) {
          numbers[measure] = of.measures[measure]?.[layer]?.[head] ?? null;
        }
        const named = MEASURES.find((measure) => measure === role);
        const share = named ? (numbers[named] ?? null) : null;
        const chance = named ? (of.by_chance[named] ?? null) : null;
        return { kind, layer, head, role, share, chance, numbers };
      }),
    );
  });
}

/**
 * The rows in another order; rows without the number come last, whichever way.
 *
 * @param {HeadRow[]} rows
 * @param {string} by  a measure, "harm" or "head"; with a minus before it, the largest first
 */
export function sortRows(rows, by) {
  const down = by.startsWith("-");
  const name = /** @type {Measure | "harm"} */ (down ? by.slice(1) : by);
  if (!MEASURES.some((measure) => measure === name) && name !== "harm") return rows;
  const value = (/** @type {HeadRow} */ row) => row.numbers[name] ?? null;
  return [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return down ? b - a : a - b;
  });
}

/**
 * The head of any kind that exceeds chance most on a role.
 *
 * @param {HeadRow[]} rows
 * @param {Statistics} statistics
 * @param {Measure} role
 * @returns {{row: HeadRow, share: number, chance: number} | null}  null if none does clearly
 */
export function clearest(rows, statistics, role) {
  /** @type {{row: HeadRow, share: number, chance: number} | null} */
  let best = null;
  for (const row of rows) {
    const share = row.numbers[role] ?? null;
    const chance = statistics[row.kind]?.by_chance[role] ?? null;
    if (share === null || chance === null || share - chance < CLEAR) continue;
    if (!best || share - chance > best.share - best.chance) best = { row, share, chance };
  }
  return best;
}

/** Nats: less is written as 0.00, and is no harm. */
const HARM = 0.005;

/**
 * The head whose loss harms the shown translation most.
 *
 * @param {HeadRow[]} rows
 * @returns {HeadRow | null}  null before anything was swept, or if none does harm
 */
export function mostHarmful(rows) {
  const [worst] = sortRows(rows, "harm");
  return worst && (worst.numbers.harm ?? 0) <= -HARM ? worst : null;
}
