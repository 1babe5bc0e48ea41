/** What files that are taken away are called. */

const MAX_NAME = 40;

/**
 * "headlight_en-zh_I-love-you_cross_L3H1.svg": what it shows, in characters that any disk takes.
 *
 * @param {Pick<import("../../trace/trace.js").Trace, "model" | "source">} trace
 * @param {string} suffix
 * @param {string[]} parts
 */
export function fileName({ model, source }, suffix, ...parts) {
  return `${["headlight", words(model), words(source), ...parts].filter(Boolean).join("_")}.${suffix}`;
}

/** @param {string} text */
function words(text) {
  const only = text.replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, "-").replace(/^-+/, "");
  return [...only].slice(0, MAX_NAME).join("").replace(/-+$/, "");
}
