/** The sentence of which one part at a time is put into the one that is shown. */

/**
 * What another sentence's run is put into this one's.
 *
 * @typedef {object} PatchingSettings
 * @property {{text: string, of: string} | null} donor  the other sentence, and the one it is put into
 * @property {number | null} step  whose answer moves; null: the first at which both differ
 */

/** @typedef {{patching: PatchingSettings}} Own */

/** @type {PatchingSettings} */
export const DEFAULT_PATCHING = { donor: null, step: null };

/** Characters that the server takes (`inside/patching.py`). */
export const MAX_DONOR = 2000;

/**
 * The other sentence; null if none was chosen, or only for a sentence that is no longer shown.
 *
 * @param {{patching: PatchingSettings, trace: {source: string} | null}} state
 */
export function donorOf({ patching: { donor }, trace }) {
  return donor && donor.of === trace?.source ? donor.text : null;
}
