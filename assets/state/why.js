/** What is asked about the words that a translation rested on. */

/** What a matrix of words can show. */
export const READINGS = /** @type {const} */ ([
  ...["attention", "alignment", "contributions", "value_norms", "leave_one_out", "value_zeroing"],
]);

/** Which row of the decoder counts as a target token's. */
export const ALIGNING_ROWS = /** @type {const} */ (["reads", "predicts"]);

/**
 * Which words a translation rested on.
 *
 * @typedef {object} WordSettings
 * @property {typeof READINGS[number]} reading
 * @property {typeof ALIGNING_ROWS[number] | null} row  of an alignment; null: as the model's card says
 * @property {{text: string, of: string} | null} gold  links that a person gave, and for which
 *   sentence and translation
 * @property {number | null} other  the candidate of the current step that was not chosen: why not?
 * @property {boolean} gradients  whether they are unfolded
 * @property {{step: number, of: string} | null} learnt  the step whose token was looked for in the
 *   model's training text, and of which sentence and translation
 */

/** @type {WordSettings} */
export const DEFAULT_WORDS = {
  ...{ reading: "attention", row: null, gold: null, other: null },
  ...{ gradients: false, learnt: null },
};
