/**
 * The engine's door: what a page posts to it is answered, one request at a time. It fetches nothing:
 * the page brings the files of the models that it needs.
 */

import { buffersOf } from "../trace/unpack.js";
import { sha256 } from "./checkpoint/checksums.js";
import { load } from "./checkpoint/folder.js";
import { HeadlightError } from "./errors.js";
import { Service } from "./serving/service.js";
import { Translator } from "./translator.js";

/** @typedef {{code: string, details: Record<string, string | number>}} Problem */
/** @typedef {{name: string, sha256: string, bytes: Uint8Array<ArrayBuffer>}} Brought  a file */

/**
 * What the page says: a question; that nobody waits for it any more; a model's files, or why they
 * cannot be had.
 *
 * @typedef {object} Message
 * @property {number} [id]
 * @property {import("./serving/service.js").Request} [request]
 * @property {number} [cancel]
 * @property {boolean} [pressed]  somebody has pressed a key, and waits for the picture
 * @property {string} [model]
 * @property {string} [checkpoint]
 * @property {Brought[]} [files]
 * @property {Problem} [problem]
 */

/** Numbers of all models that are kept: two of the larger ones. */
const MOST = 25_000_000;

/** Milliseconds of computing before messages are looked at. */
const PATIENCE = 4;

/** Milliseconds for the page to draw what somebody has pressed: a key held down repeats within. */
const FRAME = 40;

const page = /** @type {Worker} */ (/** @type {unknown} */ (globalThis));

/** @typedef {{translator: Promise<Translator>, size: number, bring: (message: Message) => void}} Entry */

/** By name, the last used one last. @type {Map<string, Entry>} */
const models = new Map();

/** @type {Set<number>} */
const cancelled = new Set();

/** The time until which whoever looks at the page goes first. */
let busy = 0;

/** The answer that is being computed: one after the other. */
let last = Promise.resolve();

/**
 * A model that is here, or that the page brings.
 *
 * @param {string} name
 */
function translatorOf(name) {
  const model = models.get(name) ?? requested(name);
  models.delete(name);
  models.set(name, model);
  return model.translator;
}

/** @type {(name: string) => Entry} */
function requested(name) {
  /** @type {Entry["bring"]} */
  let bring = () => {};
  const translator = /** @type {Promise<Translator>} */ (
    new Promise((resolve, reject) => {
      bring = (files) => read(name, files).then(resolve, reject);
    })
  );
  const model = { translator, size: 0, bring };
  translator.then(
    ({ config: { d_model, src_vocab_size, tgt_vocab_size } }) => {
      model.size = d_model * (src_vocab_size + 2 * tgt_vocab_size);
      forget();
    },
    () => models.delete(name), // the next question tries again
  );
  page.postMessage({ needs: name });
  return model;
}

/** Lets go of the models that nobody has asked for longest. */
function forget() {
  const sizes = () => [...models.values()].reduce((sum, { size }) => sum + size, 0);
  for (const name of models.keys()) {
    if (models.size < 2 || sizes() <= MOST) break;
    models.delete(name);
  }
}

/** @type {(name: string, message: Message) => Promise<Translator>} */
async function read(name, { checkpoint = "", files = [], problem }) {
  if (problem) throw new HeadlightError(problem.code, problem.details);
  for (const file of files) {
    if ((await sha256(file.bytes)) !== file.sha256) {
      throw new HeadlightError("model_damaged", { model: name, file: file.name });
    }
  }
  try {
    const bytes = new Map(files.map((file) => [file.name, file.bytes]));
    return new Translator(await load(name, bytes, checkpoint));
  } catch (error) {
    if (error instanceof RangeError) throw new HeadlightError("model_memory", { model: name });
    throw error;
  }
}

const service = new Service(translatorOf);

/** @type {(id: number, request: import("./serving/service.js").Request) => Promise<void>} */
async function answer(id, request) {
  const { model } = request;
  try {
    // Whoever waits for a model to arrive keeps nobody else waiting.
    if (typeof model === "string") await translatorOf(model);
  } catch (error) {
    page.postMessage({ id, answer: { error: problemOf(error, model) } });
    return;
  }
  const turn = last.then(async () => {
    let since = performance.now();
    const rest = async () => {
      if (performance.now() - since > PATIENCE) {
        await pause();
        while (performance.now() < busy) {
          const wait = busy - performance.now();
          await new Promise((resume) => setTimeout(resume, wait));
        }
        since = performance.now();
      }
      if (cancelled.has(id)) throw new HeadlightError("cancelled");
    };
    if (cancelled.has(id)) return;
    const answer = await service.answer(request, rest);
    page.postMessage({ id, answer }, buffersOf(answer));
  });
  last = turn
    .catch((error) => {
      page.postMessage({ id, answer: { error: problemOf(error, model) } });
    })
    .finally(() => cancelled.delete(id));
}

/** @type {(error: unknown, model: unknown) => Problem} */
function problemOf(error, model) {
  if (error instanceof HeadlightError) return { code: error.code, details: error.details };
  console.error(error);
  const code = error instanceof RangeError ? "model_memory" : "engine_failed";
  return { code, details: { model: String(model) } };
}

const { port1, port2 } = new MessageChannel();

/** Lets messages in. */
function pause() {
  return new Promise((resume) => {
    port1.onmessage = resume;
    port2.postMessage(null);
  });
}

page.onmessage = ({ data }) => {
  const { id, request, cancel, model, pressed } = /** @type {Message} */ (data);
  if (pressed) busy = performance.now() + FRAME;
  if (cancel !== undefined) cancelled.add(cancel);
  if (model !== undefined) models.get(model)?.bring(data);
  if (id !== undefined && request) answer(id, request);
};

// Of a Worker that a host forbids, browsers tell in several ways, or not at all.
page.postMessage({ started: true });
