/** Files that are made in the browser, and their names. */

const MAX_NAME = 40;

/**
 * @param {string} name
 * @param {Blob} content
 */
export function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the content by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/**
 * "headlight_en-zh_I-love-you_cross_L3H1.svg": what it shows, in characters that any disk takes.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {string} suffix
 * @param {string[]} parts
 */
export function fileName({ model, source }, suffix, ...parts) {
  const words = source.replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, "-").replace(/^-+/, "");
  const short = [...words].slice(0, MAX_NAME).join("").replace(/-+$/, "");
  return `${["headlight", model, short, ...parts].filter(Boolean).join("_")}.${suffix}`;
}
