/** What of the model's picture is drawn, and open. */

/**
 * What of the model's picture is drawn, and open.
 *
 * @typedef {object} DiagramSettings
 * @property {number | "all"} layer  the one that stands for all
 * @property {string | null} open  a block's name, or what is explained in its place
 * @property {number} token  of the source, whose vectors are shown
 */

/** @typedef {{diagram: DiagramSettings}} Own */
/** @typedef {import("../../state/actions.js").Context<Own>} Context */

/** @type {DiagramSettings} */
export const DEFAULT_DIAGRAM = { layer: 0, open: null, token: 0 };
