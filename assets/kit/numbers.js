/** Numbers as people read them, in the page's language. Nothing else writes any. */

const MINUS = "−";

let language = "en";

/** Making one takes longer than writing a hundred numbers. @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {string} tag  the page's language: all numbers are written as it writes them, from now on */
export function writeNumbersIn(tag) {
  language = tag;
  formats.clear();
}

/** @type {(value: number, options: Intl.NumberFormatOptions) => string} */
function written(value, options) {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, format);
  // What rounds to nothing is neither above it nor below.
  return format
    .format(value)
    .replace(/^-(?=[0.,]*$)/, "")
    .replace("-", MINUS);
}

/**
 * @param {number} value
 * @param {number} [digits]  so many decimals, zeros too
 */
export function numberText(value, digits = 3) {
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "∞";
  return written(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A number that somebody types, its decimals after a point or a comma.
 *
 * @param {string} text
 * @returns {number}  NaN where it is none
 */
export function typedNumber(text) {
  return text.trim() ? Number(text.trim().replace(",", ".")) : Number.NaN;
}

/**
 * A number as it is typed, all its decimals after the language's own sign.
 *
 * @param {string} text  of one, as a program writes it
 */
export function asTyped(text) {
  return text.replace(".", decimalSign());
}

function decimalSign() {
  return numberText(0, 1).charAt(1);
}

/** @param {number} value  to two decimals */
export function briefText(value) {
  return numberText(value, 2);
}

/**
 * A change, with its sign; one that rounds to nothing has none.
 *
 * @param {number} value
 * @param {number} [digits]
 */
export function changeText(value, digits) {
  const text = numberText(value, digits);
  return value > 0 && text !== numberText(0, digits) ? `+${text}` : text;
}

/**
 * Numbers as they are written, one after another: "0.5, 0.25", and "0,5 ; 0,25" where the comma is the
 * decimal sign.
 *
 * @param {string[]} numbers
 */
export function listed(numbers) {
  return numbers.join(decimalSign() === "," ? "\u202f; " : ", ");
}

/**
 * A count, its thousands apart: "263,168".
 *
 * @param {number} value
 * @param {number} [most]  decimals, where it has any
 */
export function countText(value, most = 0) {
  return written(value, { maximumFractionDigits: most });
}

/**
 * @param {number} value
 * @param {number} digits  that mean something
 */
export function roughText(value, digits) {
  return written(value, { maximumSignificantDigits: digits });
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
  const below = decimalSign() === "," ? "<\u202f" : "<";
  return weight < least / 2 ? `${below}${numberText(least, digits)}` : numberText(weight, digits);
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
 * A size that may grow beyond all bounds: "0.034", "3e−5", "1e12"; and what is no number is said to be none.
 *
 * @param {number} value
 */
export function sizeText(value) {
  if (Number.isNaN(value)) return "NaN";
  if (value < 1000 || !Number.isFinite(value)) return smallText(value);
  return value.toExponential(0).replace("+", "");
}

/**
 * Two decimals; what they would make 0.00 is not 0.
 *
 * @param {number} probability
 */
export function probabilityText(probability) {
  return weightText(probability, { digits: 2 });
}

/**
 * Whole percent, as the page's language writes them.
 *
 * @param {number} share  0 to 1
 */
export function percentText(share) {
  const text = written(share, { style: "percent", maximumFractionDigits: 0 });
  return text.replace("\u00a0", "\u202f"); // as narrow as in French sentences
}

/**
 * The size of a file, in megabytes of a million bytes.
 *
 * @param {number} bytes
 */
export function bytesText(bytes) {
  const maximumFractionDigits = bytes < 1e7 ? 1 : 0;
  // A number and its unit stay on one line.
  return written(bytes / 1e6, {
    style: "unit",
    unit: "megabyte",
    maximumFractionDigits,
  }).replace(" ", "\u00a0");
}
