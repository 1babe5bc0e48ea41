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

/** Milliseconds without a byte, after which nobody waits for more. */
const SILENCE = 20_000;

/**
 * @param {string} base  an address that all paths count from
 * @returns {Files}
 */
export function folderFiles(base) {
  /**
   * @template Content
   * @param {string} path
   * @param {(response: Response, heard: () => void) => Promise<Content>} read  says when it has heard
   * @param {RequestCache} [cache]
   */
  async function get(path, read, cache = "default") {
    const silence = new AbortController();
    let timer = 0;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
    };
    heard();
    try {
      const response = await fetch(new URL(path, base), { cache, signal: silence.signal });
      if (!response.ok) throw new Missing(path);
      return await read(response, heard);
    } catch (error) {
      if (error instanceof RangeError) throw error; // no memory
      throw new Missing(path, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
  /** @param {string} path */
  const text = (path) => get(path, (response) => response.text());
  return {
    json: (path) => get(path, (response) => response.json()),
    text,
    bytes: async (path, size, received, again) => {
      /** @type {(response: Response, heard: () => void) => ReturnType<typeof bytesIn>} */
      const read = (response, heard) =>
        bytesIn(response, size, (more) => {
          heard();
          received(more);
        });
      const whole = await get(path, read, again ? "reload" : "default");
      if (whole) keep(new URL(path, base), whole);
      return whole;
    },
    script: async (path) => scriptAddress(await text(path), path),
  };
}

/**
 * @param {Response} response
 * @param {number} size
 * @param {(bytes: number) => void} received
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>}  null if there are more or fewer
 */
async function bytesIn({ body }, size, received) {
  const whole = new Uint8Array(size);
  let length = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || !value) return length === size ? whole : null;
    if (length + value.length > size) {
      await reader?.cancel();
      return null;
    }
    whole.set(value, length);
    length += value.length;
    received(value.length);
  }
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
      const text = get(path);
      if (text.length !== 4 * Math.ceil(size / 3)) return null; // it was cut short, say
      try {
        const bytes = bytesOf(text);
        received(size);
        return bytes;
      } catch (error) {
        if (error instanceof RangeError) throw error; // no memory
        return null; // a sign in it is no base64
      }
    },
    script: async (path) => scriptAddress(JSON.parse(get(path)), path),
  };
}

/**
 * An address of a script that is here already: a page from the disk may start no Worker from another
 * file, and of one that a browser fetches nobody hears that it does not come.
 *
 * @param {string} text
 * @param {string} path  under which a debugger shows it
 */
function scriptAddress(text, path) {
  const named = `${text}\n//# sourceURL=${path}`;
  return URL.createObjectURL(new Blob([named], { type: "text/javascript" }));
}
