/** What is told of all heads. */

/**
 * What is told of all heads.
 *
 * @typedef {object} Measured
 * @property {"sentence" | "corpus"} over
 * @property {import("../../trace/statistics.js").Measure | "harm"} measure  that is drawn as maps
 * @property {string} sort  the table's column, with a minus before it if the largest come first
 */

/** @typedef {{measured: Measured}} Own */

/** @type {Measured} */
export const DEFAULT_MEASURED = { over: "corpus", measure: "sharpness", sort: "head" };
