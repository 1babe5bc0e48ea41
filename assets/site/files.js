/**
 * Where the files of a static site are: in its folder, or in the page itself.
 *
 * This room is what a page without a server has in place of one: its files, the answers that were made
 * in advance, the models that it fetches, and the Worker that computes with them.
 */

import { bytesOf } from "../trace/unpack.js";
import { keep } from "./keeping.js";

/**
 * @typedef {object} Files
 * @property {(path: string) => Promise<any>} json
 * @property {(path: string) => Promise<string>} text
 * @property {(path: string, size: number, received: (bytes: number) => void, again: boolean) => Promise<Uint8Array<ArrayBuffer> | null>} bytes
 *   told now and then how many have come since; `again` takes none that the browser has kept; null if
 *   there are more or fewer than `size`
 * @property {(path: string) => Promise<string>} script  an address that a Worker can start from
 */

/** A file that did not come. */
export class Missing extends Error {}

/**
 * @param {string} base  an address that all paths count from
 * @returns {Files}
 */
export function folderFiles(base) {
  /** @type {(path: string, cache?: RequestCache) => Promise<Response>} */
  const get = async (path, cache = "default") => {
    const response = await fetch(new URL(path, base), { cache }).catch(() => null);
    if (!response?.ok) throw new Missing(path);
    return response;
  };
  return {
    json: async (path) => (await get(path)).json(),
    text: async (path) => (await get(path)).text(),
    bytes: async (path, size, received, again) => {
      const { body } = await get(path, again ? "reload" : "default");
      if (!body) throw new Missing(path);
      const reader = body.getReader();
      const whole = new Uint8Array(size);
      let length = 0;
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw new Missing(path);
        });
        if (done) break;
        if (length + value.length > size) {
          await reader.cancel();
          return null;
        }
        whole.set(value, length);
        length += value.length;
        received(value.length);
      }
      if (length < size) return null;
      keep(new URL(path, base), whole);
      return whole;
    },
    script: async (path) => new URL(path, base).href,
  };
}

/**
 * What the page carries, each file in an element that has its path for a name: JSON and texts as they
 * are, all else in base64.
 *
 * @returns {Files | null}  null if it carries nothing
 */
export function carriedFiles() {
  /** @param {string} path */
  const content = (path) => document.getElementById(`headlight:${path}`)?.textContent ?? null;
  if (content("site.json") === null) return null;
  /** @param {string} path */
  const get = (path) => {
    const found = content(path);
    if (found === null) throw new Missing(path);
    return found;
  };
  return {
    json: async (path) => JSON.parse(get(path)),
    text: async (path) => JSON.parse(get(path)),
    bytes: async (path, size, received) => {
      const bytes = bytesOf(get(path));
      received(bytes.length);
      return bytes.length === size ? bytes : null;
    },
    // A page from the disk may start no Worker from another file.
    script: async (path) =>
      URL.createObjectURL(new Blob([JSON.parse(get(path))], { type: "text/javascript" })),
  };
}
