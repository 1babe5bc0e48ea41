/** Where the viewer's own files are: in assets/, or in the page of a saved trace; and people's own. */

/** @type {Record<string, any> | undefined} */
let carried;

/** @param {string} name */
function carriedFile(name) {
  carried ??= JSON.parse(document.getElementById("headlight-files")?.textContent ?? "{}");
  return carried?.[name];
}

/**
 * @param {string} name  such as "favicon.svg"
 * @returns {string}  an address to fetch it from
 */
export function fileAddress(name) {
  return carriedFile(name) ?? new URL(`../${name}`, import.meta.url).href;
}

/**
 * @param {string} name  such as "locales/en.json"
 * @returns {Promise<any>}  what it holds
 */
export async function readJson(name) {
  return carriedFile(name) ?? (await fetch(fileAddress(name))).json();
}

/**
 * Lets a person choose a file of their own. To be called while a press is handled.
 *
 * @param {string[]} suffixes
 * @param {(file: File) => void} take
 */
export function chooseFile(suffixes, take) {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = suffixes.join(",");
  input.onchange = () => input.files?.[0] && take(input.files[0]);
  input.click();
}
