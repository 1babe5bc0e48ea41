/** Where the viewer's own files are: beside this module, or in the page of a saved trace. */

/** @type {Record<string, string>} */
const carried = JSON.parse(document.getElementById("headlight-files")?.textContent ?? "{}");

/**
 * @param {string} name  such as "locales/en.json"
 * @returns {string}  an address to fetch it from
 */
export function fileAddress(name) {
  return carried[name] ?? new URL(name, import.meta.url).href;
}
