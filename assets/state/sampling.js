/** Drawing tokens by lot: what can be chosen, and how an address writes it. */

/** @import { Sampling } from "../trace/trace.js" */

/** @type {Sampling} */
export const USUAL_SAMPLING = { temperature: 0.8, top_k: 0, seed: 1 };

export const TEMPERATURES = { min: 0.1, max: 2, step: 0.1 };

/** @param {Sampling} sampling */
export function samplingText({ temperature, top_k, seed }) {
  return [temperature, top_k, seed].join("-");
}

/**
 * @param {string} text  such as "0.8-40-7": temperature, top-k, seed
 * @returns {Sampling | null}
 */
export function parseSampling(text) {
  const parts = /^(\d{1,3}(?:\.\d{1,6})?)-(\d+)-(\d+)$/.exec(text)?.slice(1).map(Number);
  if (!parts) return null;
  const [temperature, top_k, seed] = parts;
  const { min, max } = TEMPERATURES;
  const fine =
    temperature >= min && temperature <= max && [top_k, seed].every(Number.isSafeInteger);
  return fine ? { temperature, top_k, seed } : null;
}
