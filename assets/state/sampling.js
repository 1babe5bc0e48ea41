/** Drawing tokens by lot: what can be chosen, and how an address writes it. */

/** @import { Sampling } from "../trace/trace.js" */
/** @import { Tempering } from "../trace/tempered.js" */

/** @type {Sampling} */
export const USUAL_SAMPLING = { temperature: 0.8, top_k: 0, seed: 1, top_p: 1 };

export const TEMPERATURES = { min: 0.1, max: 2, step: 0.05 };
export const TOP_PS = { min: 0.05, max: 1, step: 0.05 };

/** @param {Sampling} sampling */
export function samplingText({ temperature, top_k, seed, top_p = 1 }) {
  return [temperature, top_k, seed, ...(top_p === 1 ? [] : [top_p])].join("-");
}

/**
 * The tempering that candidates are looked at with, without anything being drawn.
 *
 * @param {string} text  such as "0.5" or "0.5-0.9": temperature, top-p
 * @returns {Tempering | null}
 */
export function parseTempering(text) {
  const parts = /^([0-2](?:\.\d{1,2})?)(?:-([01](?:\.\d{1,2})?))?$/.exec(text);
  if (!parts) return null;
  const [temperature, top_p] = [Number(parts[1]), Number(parts[2] ?? 1)];
  const onGrid = isOn(temperature, TEMPERATURES) && isOn(top_p, TOP_PS);
  return onGrid ? { temperature, top_p } : null;
}

/** @type {(value: number, range: typeof TEMPERATURES) => boolean} */
function isOn(value, { min, max, step }) {
  return value >= min && value <= max && Math.abs(value / step - Math.round(value / step)) < 1e-6;
}

/** @param {Tempering} tempering */
export function temperingText({ temperature, top_p }) {
  return [temperature, ...(top_p === 1 ? [] : [top_p])]
    .map((value) => Math.round(100 * value) / 100)
    .join("-");
}

/**
 * @param {string} text  such as "0.8-40-7" or "0.8-40-7-0.9": temperature, top-k, seed, top-p
 * @returns {Sampling | null}
 */
export function parseSampling(text) {
  const parts = /^(\d{1,3}(?:\.\d{1,6})?)-(\d+)-(\d+)(?:-([01](?:\.\d{1,6})?))?$/.exec(text);
  if (!parts) return null;
  const [temperature, top_k, seed, top_p] = parts.slice(1).map((part) => Number(part ?? 1));
  const { min, max } = TEMPERATURES;
  const within = temperature >= min && temperature <= max && top_p > 0 && top_p <= 1;
  const fine = within && [top_k, seed].every(Number.isSafeInteger);
  return fine ? { temperature, top_k, seed, top_p } : null;
}
