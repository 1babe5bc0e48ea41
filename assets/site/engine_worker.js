/** The page's side of the Worker that computes: questions go there, models when it needs them. */

/** @import { Request, Site } from "./contents.js" */
/** @import { Problem, Progress } from "./models.js" */

/** @type {Problem} */
const FAILED = { code: "engine_failed", details: {} };

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
    worker ??= start();
    worker.catch(() => {
      worker = null;
    });
    return worker;
  }

  async function start() {
    const address = await files.script(site.engine);
    const own = new Worker(address);
    own.onmessage = ({ data }) => {
      if (data.needs !== undefined) bring(own, data.needs);
      if (data.id !== undefined) waiting.get(data.id)?.(data.answer);
      waiting.delete(data.id);
    };
    // What a key does is on the screen first: a machine may have two cores, or one.
    addEventListener("keydown", () => own.postMessage({ pressed: true }), true);
    // The script cannot run here, or no longer.
    own.onerror = () => {
      own.terminate();
      worker = null;
      for (const answer of waiting.values()) answer({ error: FAILED });
      waiting.clear();
    };
    return own;
  }

  /** @type {(own: Worker, model: string) => Promise<void>} */
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
   * @returns {Promise<any>}  undefined if it was called off
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
