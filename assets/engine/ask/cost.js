/** What an analysis costs: passes over a trace's tokens (`transformer/ask/cost.py`). */

import { KINDS } from "../../trace/kinds.js";
import { PROTOCOL } from "../../trace/protocol.js";
import { HeadlightError } from "../errors.js";

/** @import { Trace } from "../recording/trace.js" */

/** @type {(trace: Trace) => number[][]}  by kind that there is, layers and heads of each */
const sizes = ({ weights }) =>
  KINDS.flatMap((kind) => {
    const shape = weights[kind]?.shape;
    return shape ? [shape.slice(0, 2)] : [];
  });

/** @type {(numbers: number[]) => number} */
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** @type {Record<string, (trace: Trace) => number>} */
const SIZES = {
  src: ({ src }) => src.length,
  tgt: ({ tgt_in }) => tgt_in.length,
  read: ({ src, tgt_in }) => src.length || tgt_in.length,
  longest: ({ src, tgt_in }) => Math.max(src.length, tgt_in.length),
  decoder_layers: ({ weights }) => weights.decoder_self?.shape[0] ?? 0,
  layers: (trace) => sum(sizes(trace).map(([layers]) => layers)),
  heads: (trace) => sum(sizes(trace).map(([layers, heads]) => layers * heads)),
  most_heads: (trace) => Math.max(...sizes(trace).map(([layers, heads]) => layers * heads)),
};

/**
 * How many passes an analysis of a trace takes.
 *
 * @param {string} cost  a sum of products, such as "src + 2 * tgt"
 * @param {Trace} trace
 */
export function passesOf(cost, trace) {
  const factor = (/** @type {string} */ name) =>
    /^\d+$/.test(name) ? Number(name) : SIZES[name](trace);
  return sum(
    cost.split(" + ").map((term) => term.split(" * ").reduce((all, one) => all * factor(one), 1)),
  );
}

/**
 * Refuses what would take too long.
 *
 * @param {string} cost
 * @param {Trace} trace
 */
export function checkCost(cost, trace) {
  const tokens = trace.src.length + trace.tgt_in.length;
  const passes = passesOf(cost, trace);
  if (tokens * passes > PROTOCOL.limits.passes_times_tokens) {
    throw new HeadlightError("too_expensive", { tokens, passes });
  }
}
