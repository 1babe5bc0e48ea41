/** The page's side of the Worker that computes: questions go there, models when it needs them. */

/** @typedef {import("./contents.js").Site} Site */
/** @typedef {import("./contents.js").Request} Request */
/** @typedef {import("./models.js").Problem} Problem */
/** @typedef {import("./models.js").Progress} Progress */

/**
 * @param {Site} site
 * @param {import("./files.js").Files} files
 * @param {ReturnType<typeof import("./models.js").fetching>} models
 * @param {(progress: Progress) => void} tell
 */
export function engineWorker(site, files, models, tell) {
  /** @type {Promise<Worker> | null} */
  let worker = null;
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let count = 0;

  /** Started at the first question: whoever only looks around needs none. */
  function started() {
    worker ??= files.script(site.engine).then((address) => {
      const own = new Worker(address);
      own.onmessage = ({ data }) => {
        if (data.needs !== undefined) bring(own, data.needs);
        if (data.id !== undefined) waiting.get(data.id)?.(data.answer);
        waiting.delete(data.id);
      };
      // The script did not come, or cannot run here.
      own.onerror = () => {
        worker = null;
        for (const answer of waiting.values()) answer(undefined);
        waiting.clear();
      };
      return own;
    });
    return worker;
  }

  /**
   * @param {Worker} own
   * @param {string} model
   */
  async function bring(own, model) {
    try {
      const brought = await models.fetchModel(model);
      const { checkpoint, bytes } = site.models[model];
      own.postMessage(
        { model, checkpoint, files: brought },
        brought.map(({ bytes }) => bytes.buffer),
      );
      tell({ model, received: bytes, total: bytes, here: true });
    } catch (problem) {
      own.postMessage({ model, problem });
    }
  }

  /**
   * @param {Request} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}  undefined if nobody could be asked
   */
  async function ask(request, signal) {
    const own = await started();
    if (signal?.aborted) return undefined;
    const id = ++count;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      signal?.addEventListener("abort", () => {
        own.postMessage({ cancel: id });
        waiting.delete(id);
        resolve(undefined);
      });
      own.postMessage({ id, request });
    });
  }

  return { ask };
}
