/** A correction: what a model is taught before it is asked anything, and how an address tells it. */

/**
 * A correction as the server takes it.
 *
 * @typedef {object} Correction
 * @property {string} target  what the model should write
 * @property {string} source  for which sentence
 * @property {string} how  "sgd-10-0.02": the optimiser, how many steps, the learning rate
 */

/** @typedef {typeof OPTIMIZERS[number]} Optimizer */

/** @typedef {{optimizer: Optimizer, steps: number, rate: number}} How */

export const OPTIMIZERS = /** @type {const} */ (["sgd", "adam"]);

/** With which `en-zh` learnt what was tried in one to four steps. */
export const RATES = { sgd: 0.02, adam: 0.0003 };

export const MOST_STEPS = 50;

/** @type {How} */
export const USUAL_HOW = { optimizer: "sgd", steps: 10, rate: RATES.sgd };

/** Decimals of a rate; smaller ones are no rates. */
const DIGITS = 6;

/** Writes a correction's settings, such as "sgd-12-0.05". @param {How} how */
export function howText({ optimizer, steps, rate }) {
  return `${optimizer}-${steps}-${rateText(rate)}`;
}

/**
 * A rate as a person types it: "0.02", never "2e-2".
 *
 * @param {number} rate
 */
export function rateText(rate) {
  return rate.toFixed(DIGITS).replace(/\.?0+$/, "");
}

/**
 * Reads a correction's settings.
 *
 * @param {string} text  as `howText` writes it
 * @returns {How | null}  null if nobody could learn so
 */
export function parseHow(text) {
  const [, name, steps, rate] = /^(\w+)-([1-9]\d?)-(\d(?:\.\d{1,6})?)$/.exec(text) ?? [];
  const optimizer = OPTIMIZERS.find((other) => other === name);
  const how = optimizer && { optimizer, steps: Number(steps), rate: Number(rate) };
  return how && canLearn(how) ? how : null;
}

/**
 * Whether steps and rate are within what a correction takes.
 *
 * @param {How} how
 */
export function canLearn({ steps, rate }) {
  const counted = Number.isInteger(steps) && steps >= 1 && steps <= MOST_STEPS;
  return counted && rate <= 1 && Number(rateText(rate)) > 0;
}

/**
 * Whether a trace's model had been taught something: its checkpoint is then "HASH+CORRECTION".
 *
 * @param {{checkpoint?: string}} trace
 */
export function wasTaught({ checkpoint }) {
  return checkpoint?.includes("+") ?? false;
}
