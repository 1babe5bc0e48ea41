/** The service: one of the viewer's requests in, its answer out (`transformer/serving/service.py`). */

import { badRequest, text } from "../ask/options.js";
import { HeadlightError } from "../errors.js";
import { readAnalysis } from "../inside/analyses.js";
import { workOut } from "../inside/arithmetic.js";
import { payloadOf } from "../recording/trace.js";
import { readAsk, readTraceAsked, readWorkedOut } from "./requests.js";

/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */
/** @typedef {{ask: string} & Record<string, unknown>} Request */
/** @typedef {() => Promise<void>} Rest  called again and again; it may throw */

/** Traces that are kept for whatever is asked about them. */
const MOST = 12;

/** Answers requests, one at a time. */
export class Service {
  /** @type {Map<string, Trace>} */
  #traces = new Map();

  /**
   * @param {(name: string, rest: Rest) => Promise<Translator>} load  a model by its name; throws a
   *   `HeadlightError` if there is none
   */
  constructor(load) {
    this.load = load;
  }

  /**
   * @param {Request} request  nothing about it is certain
   * @param {Rest} [rest]
   * @returns {Promise<any>}  what was asked for; or an error's code and details
   */
  async answer(request, rest = async () => {}) {
    try {
      return await this.#answer(request, rest);
    } catch (error) {
      if (!(error instanceof HeadlightError)) throw error;
      const { code, details } = error;
      return { error: { code, details } };
    }
  }

  /**
   * @param {Request} request
   * @param {Rest} rest
   */
  async #answer(request, rest) {
    if (typeof request !== "object" || request === null) throw badRequest();
    const { model, taught } = request;
    const ask = readAsk(request.ask);
    if (taught) throw new HeadlightError("needs_machine");
    if (ask === "ready") {
      await this.#translator(model, rest);
      return {};
    }
    if (ask === "trace") {
      const traceRequest = readTraceAsked(request);
      const translator = await this.#translator(model, rest);
      return { trace: payloadOf(await this.#trace(translator, traceRequest), "float16") };
    }
    if (ask === "inside") {
      const analyse = readAnalysis(request.name, request.options);
      const traceRequest = readTraceAsked(request);
      const translator = await this.#translator(model, rest);
      return { inside: await analyse(translator, await this.#trace(translator, traceRequest)) };
    }
    const headRequest = readWorkedOut(request);
    return { worked_out: await workOut(await this.#translator(model, rest), headRequest) };
  }

  /** @type {(model: unknown, rest: Rest) => Promise<Translator>} */
  async #translator(model, rest) {
    const translator = await this.load(text(model), rest);
    translator.rest = rest;
    return translator;
  }

  /**
   * Decoded once, whatever is asked about it.
   *
   * @param {Translator} translator
   * @param {import("../translator.js").TraceRequest} request
   */
  async #trace(translator, request) {
    const key = JSON.stringify([translator.name, request]);
    const cached = this.#traces.get(key);
    this.#traces.delete(key);
    const trace = cached ?? (await translator.trace(request));
    this.#traces.set(key, trace);
    for (const oldest of this.#traces.keys()) {
      if (this.#traces.size <= MOST) break;
      this.#traces.delete(oldest);
    }
    return trace;
  }
}
