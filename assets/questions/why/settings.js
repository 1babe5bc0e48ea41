/** What is asked about the words that a token rested on. */

import { openingAt } from "../../trace/trace.js";

/** What the map can show. The last is of the current step alone; so is the first, asked against another token. */
export const READINGS = /** @type {const} */ ([
  ...["leave_one_out", "attention", "alignment", "contributions", "value_norms"],
  ...["value_zeroing", "gradients"],
]);

/** Which row of the decoder counts as a target token's. */
export const ALIGNING_ROWS = /** @type {const} */ (["reads", "predicts"]);

/**
 * Which words a token rested on.
 *
 * @typedef {object} WordSettings
 * @property {typeof READINGS[number]} reading
 * @property {number | null} other  the candidate of the current step that was not chosen: why not?
 * @property {typeof ALIGNING_ROWS[number] | null} row  of an alignment; null: as the model's card says
 * @property {{text: string, of: string} | null} gold  links that a person gave, and for which
 *   sentence and translation
 */

/** @typedef {{words: WordSettings}} Own */

/** @type {WordSettings} */
export const DEFAULT_WORDS = { reading: "leave_one_out", other: null, row: null, gold: null };

/**
 * The row that counts as a token's: the chosen one, else the one that was measured of the weights, or else
 * of the head that aligns.
 *
 * @param {import("../../trace/trace.js").Trace} trace
 * @param {import("../../trace/choice.js").Choice} choice  whose links they are
 * @param {Pick<WordSettings, "row">} settings
 * @returns {typeof ALIGNING_ROWS[number]}
 */
export function aligningRow(trace, choice, { row }) {
  const usualRow = (openingAt(trace, "cross", choice) ?? trace.heads?.cross)?.row;
  return row ?? ALIGNING_ROWS.find((each) => each === usualRow) ?? ALIGNING_ROWS[0];
}
