/** Which token the emitted one is asked against. */

/**
 * @typedef {object} WhySettings
 * @property {number | null} other  the candidate of the current step that was not chosen: why not?
 */

/** @type {WhySettings} */
export const DEFAULT_WHY = { other: null };
