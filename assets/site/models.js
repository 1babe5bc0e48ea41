/** The models' files: fetched when they are needed, with a word on how far that is. */

import { own } from "./contents.js";
import { Missing } from "./files.js";

/** @import { Site } from "./contents.js" */
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
  /** What came damaged: what the browser has kept of it is not to be had again. @type {Set<string>} */
  const damaged = new Set();

  /** @param {string} model */
  async function fetchAll(model) {
    const listed = own(site.models, model);
    if (!listed) throw { code: "unknown_model", details: { model } };
    const { files: parts, bytes: total } = listed;
    let received = 0;
    let failed = false; // while other files still come
    const told = (/** @type {number} */ more) => {
      received += more;
      if (!failed) tell({ model, received, total, here: false });
    };
    told(0);
    const again = damaged.delete(model);
    try {
      return await Promise.all(
        parts.map(async ({ name, path, size, sha256 }) => {
          const bytes = await files.bytes(path, size, told, again);
          if (!bytes) throw { code: "model_damaged", details: { model, file: name } };
          return { name, sha256, bytes };
        }),
      );
    } catch (error) {
      failed = true;
      if (error instanceof Missing) throw { code: "model_missing", details: { model } };
      if (error instanceof RangeError) throw { code: "model_memory", details: { model } };
      throw error;
    }
  }

  return {
    /** @param {string} model */
    distrust: (model) => damaged.add(model),
    /**
     * All files of a model. What failed may be asked for again.
     *
     * @param {string} model
     * @returns {Promise<Brought[]>}  broken by a `Problem`
     */
    fetchModel(model) {
      const known = going.get(model);
      if (known) return known;
      const all = fetchAll(model);
      going.set(model, all);
      all.finally(() => going.delete(model)).catch(() => {});
      return all;
    },
  };
}
