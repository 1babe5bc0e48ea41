/**
 * The engine as a process of its own: a line of JSON in, a line out, for the tests in Python.
 *
 * `node answering.js CHECKPOINTS [plain]`. They are JSON: by name, a folder and the hash of its files.
 * `plain` computes as a page does that has no WebAssembly.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { passesOf } from "../../assets/engine/ask/cost.js";
import { offers } from "../../assets/engine/ask/needs.js";
import { load } from "../../assets/engine/checkpoint/folder.js";
import { HeadlightError } from "../../assets/engine/errors.js";
import { kernelOf } from "../../assets/engine/model/kernel.js";
import { payloadOf } from "../../assets/engine/recording/trace.js";
import { readTraceAsked } from "../../assets/engine/serving/requests.js";
import { Service } from "../../assets/engine/serving/service.js";
import { normalised } from "../../assets/engine/text/normalise.js";
import { Tokenizer } from "../../assets/engine/text/tokenizer.js";
import { Translator } from "../../assets/engine/translator.js";
import { difference } from "../../assets/trace/comparison.js";
import { KINDS } from "../../assets/trace/kinds.js";
import { parseTrace } from "../../assets/trace/trace.js";
import { jsonOf } from "../../assets/trace/unpack.js";
import { headWeights } from "../../assets/trace/weights.js";
import { wordsOf } from "../../assets/trace/whole_words.js";
import { alignWords } from "../../assets/trace/words.js";

/** @type {Record<string, {folder: string, hash: string}>} */
const checkpoints = JSON.parse(process.argv[2]);

if (process.argv[3] === "plain") Reflect.deleteProperty(globalThis, "WebAssembly");

/** @type {Map<string, Translator>} */
const loaded = new Map();

/** @param {string} folder */
function filesOf(folder) {
  return new Map(
    readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(`${folder}/${file}`))]),
  );
}

/** @param {string} name */
async function translatorOf(name) {
  const cached = loaded.get(name);
  if (cached) return cached;
  const place = Object.hasOwn(checkpoints, name) ? checkpoints[name] : null;
  if (!place) throw new HeadlightError("unknown_model", { model: name.slice(0, 80) });
  const { folder, hash } = place;
  const translator = new Translator(await load(name, filesOf(folder), hash));
  loaded.set(name, translator);
  return translator;
}

const service = new Service(translatorOf);

/**
 * A folder that may hold anything: read, and, if it is a model, asked for a trace.
 *
 * @param {string} folder
 */
async function attempt(folder) {
  const before = process.memoryUsage().arrayBuffers;
  const files = filesOf(folder);
  const own = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  try {
    const translator = new Translator(await load("hostile", files, ""));
    await translator.trace({ source: "I love you. ﬁ😀" });
    return {};
  } catch (error) {
    if (!(error instanceof HeadlightError)) throw error;
    const taken = process.memoryUsage().arrayBuffers - before - own;
    return { error: { code: error.code, details: error.details }, taken };
  }
}

/**
 * What the page reads off two traces by itself: passes that each cost comes to, word links, differences.
 *
 * @param {any} request
 */
async function read({ model, sources, costs, head }) {
  const translator = await translatorOf(model);
  /** @type {import("../../assets/engine/recording/trace.js").Trace[]} */
  const traces = [];
  for (const source of sources) traces.push(await translator.trace({ source }));
  const [one, other] = traces.map((trace) => parseTrace(payloadOf(trace, "float32")));
  const cross = /** @type {import("../../assets/trace/weights.js").Weights} */ (one.weights.cross);
  const numbers = { rows: cross.queries, columns: cross.keys, values: headWeights(cross, head) };
  const [src, tgt] = [wordsOf(one.src), wordsOf(one.tgt_out)];
  const links = Object.fromEntries(
    /** @type {const} */ (["reads", "predicts"]).map((row) => {
      const { links, words } = alignWords(numbers, src, tgt, row);
      return [row, links.map((link, i) => [link, words[i]])];
    }),
  );
  const differences = KINDS.map((kind) => [kind, difference(one, other, kind, head)]);
  const passes = costs.map((/** @type {string} */ cost) => passesOf(cost, traces[0]));
  return { passes, links, differences: Object.fromEntries(differences) };
}

/** @param {any} request */
async function answer(request) {
  // Weights as they are, before they are rounded for the page.
  if (request?.ask === "exact") {
    const translator = await translatorOf(request.model);
    return { trace: payloadOf(await translator.trace(readTraceAsked(request)), "float32") };
  }
  if (request?.ask === "is compiled") {
    const { decoder } = (await translatorOf(request.model)).model;
    return { compiled: kernelOf(decoder.output.weight) !== null };
  }
  if (request?.ask === "offers") return { offers: offers(await translatorOf(request.model)) };
  if (request?.ask === "read") return read(request);
  if (request?.ask === "attempt") return attempt(request.folder);
  if (request?.ask === "tokens") {
    const tokenizer = new Tokenizer(new Uint8Array(readFileSync(request.file)));
    const ids = request.texts.map((/** @type {string} */ text) => tokenizer.encode(text));
    return { ids, texts: ids.map((/** @type {number[]} */ own) => tokenizer.decode(own)) };
  }
  if (request?.ask === "reads") {
    const tokenizer = new Tokenizer(new Uint8Array(readFileSync(request.file)));
    return {
      texts: request.texts.map((/** @type {string} */ text) => normalised(text, tokenizer)),
    };
  }
  return service.answer(request);
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = await answer(JSON.parse(line));
  } catch (error) {
    reply = { thrown: error instanceof Error ? `${error.stack}` : String(error) };
  }
  process.stdout.write(`${jsonOf(reply)}\n`);
}
