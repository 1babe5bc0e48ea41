/** What is shown of how the model learnt, and learns: the settings of the tab Training. */

/** What the tab Training shows one of. */
export const TRAINING_PARTS = /** @type {const} */ (["film", "noise", "teach"]);

/** What learns from noise while one watches (`transformer/training/toys.py`). */
export const TOYS = /** @type {const} */ (["reverse", "repeat", "one_layer"]);

/**
 * A correction as it stands in its form; and of which sentence, in which model.
 *
 * @typedef {import("../../trace/correction.js").How & {target: string, of: string}} Draft
 */

/**
 * What is shown of how the model learnt, and learns.
 *
 * @typedef {object} TrainingSettings
 * @property {typeof TRAINING_PARTS[number]} part
 * @property {"own" | "toy" | null} film  whose; null: the first of these that begins at noise
 * @property {typeof TOYS[number]} toy  which one starts from noise
 * @property {number | null} step  of training; null is the last
 * @property {number} pair  whose attention it is
 * @property {(import("../../trace/choice.js").Choice & {kind: import("../../trace/kinds.js").Kind}) | null} head  the one that is shown large
 * @property {Draft | null} draft  of a correction, if somebody has changed it
 * @property {{model: string, taught: import("../../trace/correction.js").Correction} | null} attempt  the
 *   correction that was asked for last, until the model has had it
 * @property {number | null} learnt  after how many steps the run is shown; null is the end
 */

/** @typedef {{training: TrainingSettings}} Own */
/** @typedef {import("../../state/actions.js").Context<Own>} Context */

/** @type {TrainingSettings} */
export const DEFAULT_TRAINING = {
  ...{ part: "film", film: null, toy: "reverse", step: null, pair: 0, head: null },
  ...{ draft: null, attempt: null, learnt: null },
};
