/** One head's queries, keys, values and scores, asked of the server once. */

import { unpackNumbers } from "../trace/arithmetic.js";
import { NO_ANSWER } from "./server.js";

/** @typedef {import("../trace/arithmetic.js").HeadNumbers} HeadNumbers */
/** @typedef {import("../trace/trace.js").Trace} Trace */

/** @type {WeakMap<Trace, Map<string, HeadNumbers>>} */
const known = new WeakMap();

/**
 * @param {Trace} trace
 * @param {{kind: string, layer: number, head: number}} head
 */
export function knowsHead(trace, { kind, layer, head }) {
  return known.get(trace)?.has(`${kind} ${layer} ${head}`) ?? false;
}

/**
 * @param {import("./server.js").Ask | null} ask
 * @param {Trace} trace
 * @param {{kind: import("../trace/kinds.js").Kind, layer: number, head: number}} which
 * @returns {Promise<{numbers?: HeadNumbers, error?: import("./server.js").Problem}>}
 */
export async function headNumbers(ask, trace, { kind, layer, head }) {
  const heads = known.get(trace) ?? new Map();
  known.set(trace, heads);
  const name = `${kind} ${layer} ${head}`;
  if (!heads.has(name)) {
    const { model, source, tgt_ids: target, interventions } = trace;
    const question = { model, source, target, interventions, kind, layer, head };
    const answer = await ask?.({ ask: "worked_out", ...question });
    if (!answer?.worked_out) return { error: answer?.error ?? NO_ANSWER };
    heads.set(name, unpackNumbers(answer.worked_out));
  }
  return { numbers: heads.get(name) };
}
