/** The page's side of the Worker that computes: questions go there, models when it needs them. */

import { Missing } from "./files.js";

/** @import { Request, Site } from "./contents.js" */
/** @import { Problem, Progress } from "./models.js" */

/** @type {Problem} */
const FAILED = { code: "engine_failed", details: {} };

/** Neither its address nor its text may start a Worker here. @type {Problem} */
const FORBIDDEN = { code: "engine_forbidden", details: {} };

/** Milliseconds until a Worker that has said nothing is taken for one that cannot start. */
const PATIENCE = 20_000;

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
    const own = await startedFrom(files.address(site.engine)).catch(async () => {
      // A page from the disk may start no Worker from a file, nor a strange frame from an address.
      const text = await files.text(site.engine);
      return startedFrom(scriptAddress(text, site.engine));
    });
    own.onmessage = ({ data }) => {
      if (data.needs !== undefined) bring(own, data.needs);
      if (data.id !== undefined) waiting.get(data.id)?.(data.answer);
      waiting.delete(data.id);
    };
    // What a key does is on the screen first: a machine may have two cores, or one.
    addEventListener("keydown", () => own.postMessage({ pressed: true }), true);
    // The script can run here no longer.
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
    const own = await started().catch((error) => {
      if (error instanceof Missing) throw error;
      return null;
    });
    if (signal?.aborted) return undefined;
    if (!own) return { error: FORBIDDEN };
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

/**
 * A Worker that has begun to run: of one that a policy forbids, some browsers tell by throwing, others
 * by an event.
 *
 * @param {string | null} address
 * @returns {Promise<Worker>}
 */
function startedFrom(address) {
  return new Promise((resolve, reject) => {
    if (address === null) throw new Error("nowhere");
    const own = new Worker(address);
    const fail = () => {
      own.terminate();
      reject(new Error(address));
    };
    const timer = setTimeout(fail, PATIENCE);
    own.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      fail();
    };
    own.onmessage = () => {
      clearTimeout(timer);
      resolve(own);
    };
  });
}

/**
 * @param {string} text
 * @param {string} path  under which a debugger shows it
 */
function scriptAddress(text, path) {
  const named = `${text}\n//# sourceURL=${path}`;
  return URL.createObjectURL(new Blob([named], { type: "text/javascript" }));
}
