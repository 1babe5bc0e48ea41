/**
 * Where the files of a static site are: in its folder, or in the page itself.
 *
 * This room is what a page without a server has in place of one: its files, the answers that were made
 * in advance, the models that it fetches, and the Worker that computes with them.
 */

import { bytesOf } from "../trace/unpack.js";
import { keepFile } from "./keeping.js";

/**
 * @typedef {object} Files
 * @property {(path: string) => Promise<any>} json
 * @property {(path: string) => Promise<string>} text
 * @property {(path: string, size: number, received: (bytes: number) => void, again: boolean) => Promise<Uint8Array<ArrayBuffer> | null>} bytes
 *   told now and then how many have come since; `again` takes none that the browser has kept; null if
 *   there are more or fewer than `size`
 * @property {(path: string) => string | null} address  that a Worker may start from; null if it has none
 * @property {() => Promise<boolean>} isOutdated  whether a newer build has taken their place
 */

/** A file that did not come. */
export class Missing extends Error {}

/** Milliseconds without a byte, after which nobody waits for more. */
const SILENCE = 20_000;

/** Bytes that are read at a time. */
const ROOM = 2 ** 18;

/** What the page's first bytes name: the folder of its build. */
const BUILD = /"([0-9a-f]{12})\/joined\/site\.js"/;

/**
 * @param {string} base  an address that all paths count from: of the build's own folder in the site's
 * @returns {Files}
 */
export function folderFiles(base) {
  const folder = new URL("../", base).href;
  /** What has come of files whose line broke off, by path. @type {Map<string, Begun>} */
  const begun = new Map();

  /**
   * @template Content
   * @param {string} path
   * @param {(response: Response, heard: () => void) => Promise<Content>} read  says when it has heard
   * @param {RequestInit} [init]
   */
  async function get(path, read, init = {}) {
    const silence = new AbortController();
    let timer = 0;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
    };
    heard();
    try {
      const response = await fetch(new URL(path, base), { ...init, signal: silence.signal });
      if (!response.ok) throw new Missing(path);
      return await read(response, heard);
    } catch (error) {
      if (error instanceof RangeError) throw error; // no memory
      throw error instanceof Missing ? error : new Missing(path, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
  /** @type {(path: string, init?: RequestInit) => Promise<string>} */
  const text = (path, init) => get(path, (response) => response.text(), init);

  /** @type {Files["bytes"]} */
  async function whole(path, size, received, again) {
    const file = (!again && begun.get(path)) || { bytes: new Uint8Array(size), length: 0 };
    begun.set(path, file);
    if (file.length) received(file.length);
    for (;;) {
      const { length } = file;
      const headers = length ? { Range: `bytes=${length}-` } : undefined;
      /** @type {(response: Response, heard: () => void) => Promise<boolean>} */
      const read = (response, heard) =>
        readOn(response, file, (more) => {
          heard();
          received(more);
        });
      try {
        const complete = await get(path, read, { headers, cache: again ? "reload" : "default" });
        begun.delete(path);
        return complete ? file.bytes : null;
      } catch (error) {
        if (!(error instanceof Missing)) begun.delete(path);
        // A line that broke off goes on where it did, as long as it brings anything.
        if (!(error instanceof Missing) || file.length === length) throw error;
      }
    }
  }

  return {
    json: (path) => get(path, (response) => response.json()),
    text,
    bytes: (path, size, received, again) =>
      new Promise((resolve, reject) => {
        const address = new URL(path, base);
        alone(address.href, async () => {
          const bytes = await whole(path, size, received, again);
          resolve(bytes);
          if (bytes) await keepFile(folder, address, bytes);
        }).catch(reject);
      }),
    address: (path) => new URL(path, base).href,
    async isOutdated() {
      const page = await text("../", { cache: "reload" }).catch(() => "");
      const [, build = null] = BUILD.exec(page) ?? [];
      return build !== null && !base.endsWith(`/${build}/`);
    },
  };
}

/**
 * Runs while no other page of this browser runs the same: what one has fetched the next one finds kept.
 *
 * @param {string} name
 * @param {() => Promise<void>} run
 */
async function alone(name, run) {
  /** Whether it is this page's turn. */
  let mine = false;
  try {
    await navigator.locks.request(name, () => {
      mine = true;
      return run();
    });
  } catch (error) {
    if (mine) throw error;
    await run(); // a plain server's page has no locks, nor has one in a strange frame
  }
}

/** @typedef {{bytes: Uint8Array<ArrayBuffer>, length: number}} Begun  so many have come */

/**
 * Reads what there is of a file, or the rest of it.
 *
 * @param {Response} response
 * @param {Begun} file
 * @param {(bytes: number) => void} received
 * @returns {Promise<boolean>}  false if there is more or less of it than there should be
 */
async function readOn({ body, status }, file, received) {
  // Some servers send no part of a file, but all of it once more.
  let skip = status === 206 ? 0 : file.length;
  const reader = body && readerOf(body);
  let room = new ArrayBuffer(ROOM);
  for (;;) {
    const { done = true, value } = (await reader?.read(new Uint8Array(room))) ?? {};
    if (done || !value) return file.length === file.bytes.length;
    room = value.buffer;
    const more = value.subarray(Math.min(skip, value.length));
    skip -= value.length - more.length;
    if (file.length + more.length > file.bytes.length) {
      await reader?.cancel();
      return false;
    }
    file.bytes.set(more, file.length);
    file.length += more.length;
    received(more.length);
  }
}

/**
 * One that reads into the same memory again and again: else as many bytes as the file has would lie about
 * until somebody collects them. Some browsers have none such, and what theirs is given it does not read.
 *
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 */
function readerOf(body) {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return /** @type {ReadableStreamBYOBReader} */ (/** @type {unknown} */ (body.getReader()));
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
    const own = content(path);
    if (own === null) throw new Missing(path);
    return own;
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
    address: () => null,
    isOutdated: async () => false,
  };
}
