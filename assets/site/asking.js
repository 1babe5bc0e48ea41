/** Who answers a page without a server: what was made in advance, and else the Worker. */

import { base64Of } from "../trace/unpack.js";
import { knownAnswer } from "./contents.js";
import { engineWorker } from "./engine_worker.js";
import { fetching } from "./models.js";
import { replayPage } from "./replay.js";

/** @typedef {import("./contents.js").Site} Site */
/** @typedef {import("./contents.js").Request} Request */
/** @typedef {import("./models.js").Progress} Progress */

/**
 * @param {Site} site
 * @param {import("./files.js").Files} files
 * @param {(progress: Progress) => void} tell
 */
export function askingSite(site, files, tell) {
  const models = fetching(site, files, (progress) => tell(progress));
  const worker = engineWorker(site, files, models, tell);

  /** @type {import("../page.js").Send} */
  async function send(request, signal) {
    const { ask } = request;
    const path = knownAnswer(site, request);
    if (path) return files.json(path);
    // The page of somebody who is not the machine's owner shows no downloads either.
    if (ask === "downloads") return { error: { code: "downloads_refused", details: {} } };
    if (ask === "file" && request.format === "html")
      return { file: await htmlFile(request, signal) };
    const answer = await worker.ask(request, signal);
    const problem = answer?.error;
    if (problem?.code.startsWith("model_")) {
      if (problem.code === "model_damaged") models.distrust(String(request.model));
      const { bytes } = site.models[String(request.model)] ?? { bytes: 0 };
      tell({ model: String(request.model), received: 0, total: bytes, here: true, problem });
    }
    return answer;
  }

  /**
   * @param {import("../state/server/ask.js").Request} request
   * @param {AbortSignal} [signal]
   */
  async function htmlFile({ ask: _, format: __, ...rest }, signal) {
    const given = /** @type {any} */ (rest).trace;
    const trace = given ?? (await send({ ...rest, ask: "trace" }, signal))?.trace;
    if (!trace) throw new Error("no trace");
    const page = replayPage(await files.text(site.replay), trace);
    return base64Of(new TextEncoder().encode(page));
  }

  return {
    send,
    /**
     * Fetches a model before anybody has asked it.
     *
     * @param {string} model
     */
    prepare: (model) => worker.ask({ ask: "ready", model }),
  };
}
