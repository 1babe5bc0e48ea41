/** How weights become colours: what can be chosen, and how addresses and preferences write it. */

/** @typedef {"blue" | "viridis" | "grey"} ScaleName */

/**
 * How weights become colours.
 *
 * @typedef {object} Coloring
 * @property {ScaleName} scale
 * @property {number} gamma  exponent on the weight: below 1, small weights show more
 * @property {number} full  the weight from which on the colour is the scale's last
 * @property {boolean} rank  colour by the rank in the row instead
 */

/** @type {ScaleName[]} */
export const SCALES = ["blue", "viridis", "grey"];

/** @type {Coloring} */
export const PLAIN = { scale: "blue", gamma: 1, full: 1, rank: false };

/** Ranges of colouring that can be chosen. */
export const COLORING_RANGES = {
  gamma: { min: 0.2, max: 3, step: 0.1 },
  full: { min: 0.05, max: 1, step: 0.05 },
};

/**
 * The short form for addresses and preferences: "viridis-0.5-1", and "-rank" after it for ranks.
 *
 * @param {Coloring} coloring
 */
export function coloringText({ scale, gamma, full, rank }) {
  return [scale, gamma, full, ...(rank ? ["rank"] : [])].join("-");
}

/**
 * Reads how weights are coloured.
 *
 * @param {string} text
 * @returns {Coloring | null}  null if it is of another form
 */
export function parseColoring(text) {
  const [name, ...rest] = text.split("-", 5);
  const scale = SCALES.find((other) => other === name);
  const [gamma, full] = /** @type {const} */ (["gamma", "full"]).map((range, i) => {
    const { min, max } = COLORING_RANGES[range];
    const value = /^\d(\.\d{1,4})?$/.test(rest[i]) ? Number(rest[i]) : Number.NaN;
    return value >= min && value <= max ? value : null;
  });
  const rank = rest.length === 3 && rest[2] === "rank";
  if (!scale || gamma === null || full === null || (rest.length !== 2 && !rank)) return null;
  return { scale, gamma, full, rank };
}
