/** The answerer of a page without a server: what was made in advance, and else the Worker. */

import { PROTOCOL } from "../trace/protocol.js";
import { base64Of } from "../trace/unpack.js";
import { knownAnswer, own } from "./contents.js";
import { engineWorker } from "./engine_worker.js";
import { Missing } from "./files.js";
import { fetching } from "./models.js";
import { replayPage } from "./replay.js";

/** @import { Site } from "./contents.js" */
/** @import { Problem, Progress } from "./models.js" */

/** @type {(ask: string) => boolean}  whether it is made in advance, and cannot be computed here */
const isWritten = (ask) => !PROTOCOL.requests[ask].by.includes("engine");

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
    try {
      return await answerTo(request, signal);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      const code = (await files.isOutdated()) ? "new_version" : "file_unreachable";
      if (code === "new_version") tellProblem(request, { code, details: {} });
      return { error: { code, details: {} } };
    }
  }

  /** @type {import("../page.js").Send} */
  async function answerTo(request, signal) {
    const { ask } = request;
    const path = knownAnswer(site, request);
    const ready = path && (await files.json(path).catch(() => null));
    if (ready) return ready;
    if (path && isWritten(ask)) throw new Missing(path); // else it is computed, offline too
    // The page of somebody who is not the machine's owner shows no downloads either.
    if (ask === "downloads") return { error: { code: "downloads_refused", details: {} } };
    if (ask === "file" && request.format === "html") return htmlFile(request, signal);
    return compute(request, signal);
  }

  /** @type {import("../page.js").Send} */
  async function compute(request, signal) {
    /** Files that were fetched anew. @type {Set<unknown>} */
    const anew = new Set();
    for (;;) {
      const answer = await worker.ask(request, signal);
      const problem = answer?.error;
      if (problem?.code === "model_damaged") {
        const { file } = problem.details;
        if (models.distrust(String(request.model), file, anew.has(file))) {
          anew.add(file);
          continue;
        }
      }
      if (problem && /^model_|^new_version$/.test(problem.code)) tellProblem(request, problem);
      return answer;
    }
  }

  /** @type {(request: import("../state/server/ask.js").Request, problem: Problem) => void} */
  function tellProblem({ model }, problem) {
    const total = own(site.models, String(model))?.bytes ?? 0;
    tell({ model: String(model), received: 0, total, here: true, problem });
  }

  /**
   * @param {import("../state/server/ask.js").Request} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<import("../state/server/ask.js").Answer | undefined>}
   */
  async function htmlFile({ ask: _, format: __, ...rest }, signal) {
    const given = /** @type {any} */ (rest).trace;
    const answer = given ? { trace: given } : await answerTo({ ...rest, ask: "trace" }, signal);
    if (!answer?.trace) return answer; // why there is none
    const page = replayPage(await files.text(site.replay), answer.trace);
    return { file: base64Of(new TextEncoder().encode(page)) };
  }

  return {
    send,
    /**
     * Fetches a model before anybody has asked it.
     *
     * @param {string} model
     */
    prepare: (model) => compute({ ask: "ready", model }),
  };
}
