/** Numbers as people read them. */

const MINUS = "−";

/**
 * @param {number} value
 * @param {number} [digits]
 */
export function numberText(value, digits = 3) {
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "∞";
  return value
    .toFixed(digits)
    .replace(/^-(?=0\.?0*$)/, "")
    .replace("-", MINUS);
}

/**
 * The weight of a cell that is not masked, as large as it can be read: however small, it is not 0.
 * Only a head that was switched off has weights of exactly 0, a whole row of them.
 *
 * @param {number} weight
 * @param {{digits?: number, off?: boolean}} [how]  `off`: its row is all 0
 */
export function weightText(weight, { digits = 3, off = false } = {}) {
  if (off) return "0";
  const least = 10 ** -digits;
  return weight < least / 2 ? `<${least.toFixed(digits)}` : weight.toFixed(digits);
}

/**
 * A number that is above 0 in arithmetic, where its size counts: "0.034", "3e−5".
 *
 * @param {number} value
 */
export function smallText(value) {
  if (value === 0 || value >= 0.0005) return numberText(value);
  return value.toExponential(0).replace("-", MINUS);
}

/**
 * Two decimals; what they would make 0.00 is not 0.
 *
 * @param {number} probability
 */
export function probabilityText(probability) {
  return probability < 0.005 ? "<0.01" : probability.toFixed(2);
}

/**
 * The size of a file, in megabytes of a million bytes.
 *
 * @param {number} bytes
 * @param {string} language
 */
export function bytesText(bytes, language) {
  /** @type {Intl.NumberFormatOptions} */
  const format = {
    style: "unit",
    unit: "megabyte",
    maximumFractionDigits: bytes < 1e7 ? 1 : 0,
  };
  // A number and its unit stay on one line.
  return new Intl.NumberFormat(language, format).format(bytes / 1e6).replace(" ", "\u00a0");
}
