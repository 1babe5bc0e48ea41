/** Which token was looked for in the model's training text. */

/**
 * @typedef {object} LearntSettings
 * @property {{step: number, of: string} | null} wanted  the step that emitted it, and of which sentence and
 *   translation
 */

/** @type {LearntSettings} */
export const DEFAULT_LEARNT = { wanted: null };
