/** Up to which layer attention is multiplied. */

/** @typedef {{layer: number | null}} RolloutSettings  null is the last */

/** @type {RolloutSettings} */
export const DEFAULT_ROLLOUT = { layer: null };
