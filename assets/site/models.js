/** The models' files: fetched when they are needed, with a word on how far that is. */

import { own } from "./contents.js";
import { Missing } from "./files.js";

/** @import { Part, Site } from "./contents.js" */
/** @typedef {{code: string, details: Record<string, string | number>}} Problem */

/**
 * How far a model has come; it is `here` once nothing more is to be told.
 *
 * @typedef {object} Progress
 * @property {string} model
 * @property {number} received  bytes
 * @property {number} total
 * @property {boolean} here
 * @property {Problem} [problem]
 */

/** @typedef {{name: string, sha256: string, bytes: Uint8Array<ArrayBuffer>}} Brought */

/**
 * @param {Site} site
 * @param {import("./files.js").Files} files
 * @param {(progress: Progress) => void} tell
 */
export function fetching(site, files, tell) {
  /** @type {Map<string, Promise<Brought[]>>} */
  const going = new Map();
  /** What came damaged, by path: what the browser has kept of it is not to be had again. @type {Set<string>} */
  const stale = new Set();
  /** What came damaged even then, and a model works without. @type {Set<string>} */
  const leftOut = new Set();

  /** @param {string} model */
  async function fetchAll(model) {
    const listed = own(site.models, model);
    if (!listed) throw { code: "unknown_model", details: { model } };
    const { files: parts, bytes: total } = listed;
    let received = 0;
    let failed = false; // while other files still come
    const progress = (/** @type {number} */ more) => {
      received += more;
      if (!failed) tell({ model, received, total, here: false });
    };
    progress(0);
    try {
      const brought = await Promise.all(parts.map((part) => fetchPart(model, part, progress)));
      return brought.filter((part) => part !== null);
    } catch (error) {
      failed = true;
      if (error instanceof Missing) {
        const code = (await files.isOutdated()) ? "new_version" : "model_missing";
        throw { code, details: { model } };
      }
      if (error instanceof RangeError) throw { code: "model_memory", details: { model } };
      throw error;
    }
  }

  /**
   * @param {string} model
   * @param {Part} part
   * @param {(more: number) => void} progress
   * @returns {Promise<Brought | null>}  null if the model does without
   */
  async function fetchPart(model, { name, path, size, sha256, optional }, progress) {
    if (leftOut.has(path)) return null;
    try {
      const bytes = await files.bytes(path, size, progress, stale.delete(path));
      if (bytes) return { name, sha256, bytes };
    } catch (error) {
      if (optional && error instanceof Missing) return null;
      throw error;
    }
    throw { code: "model_damaged", details: { model, file: name } };
  }

  return {
    /**
     * Hears that a file is not what it should be.
     *
     * @param {string} model
     * @param {unknown} file  its name
     * @param {boolean} again  it was fetched anew, and is still
     * @returns {boolean}  whether the model may be had in another way
     */
    distrust(model, file, again) {
      const part = own(site.models, model)?.files.find(({ name }) => name === file);
      if (!part) return false;
      stale.add(part.path);
      if (again && part.optional) leftOut.add(part.path);
      return !again || Boolean(part.optional);
    },
    /**
     * All files of a model. What failed may be asked for again.
     *
     * @param {string} model
     * @returns {Promise<Brought[]>}  broken by a `Problem`
     */
    fetchModel(model) {
      const begun = going.get(model);
      if (begun) return begun;
      const all = fetchAll(model);
      going.set(model, all);
      all.finally(() => going.delete(model)).catch(() => {});
      return all;
    },
  };
}
