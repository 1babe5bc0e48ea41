/** What the exercises' judges say of traces of the shipped models: for tests that have a translator. */

import { JUDGES } from "../../assets/lessons/judges.js";
import { KINDS } from "../../assets/trace/kinds.js";
import { readTrace } from "../../assets/trace/saved.js";

/** @typedef {{outcome: string} | null} Verdict */

/**
 * Of every head that could be chosen.
 *
 * @param {"aligns" | "looks_back" | "rests" | "induction"} name
 * @param {Record<string, any>} saved
 * @returns {Verdict[]}
 */
export function ofHeads(name, saved) {
  const trace = readTrace(saved);
  return KINDS.flatMap((kind) => {
    const { layers = 0, heads = 0 } = trace.weights[kind] ?? {};
    return Array.from({ length: layers * heads }, (_, i) => {
      const choice = { layer: Math.floor(i / heads), head: i % heads };
      return JUDGES[name](seen({ kind, heads: { [kind]: choice } }), trace);
    });
  });
}

/**
 * @param {"nothing" | "breaks" | "one_row"} name
 * @param {Record<string, any>} was  as it was before the head was switched off; or the other text's
 * @param {Record<string, any>} saved
 * @returns {Verdict}
 */
export function ofPair(name, was, saved) {
  const before = readTrace(was);
  return JUDGES[name](seen({ before, earlier: before }), readTrace(saved));
}

/**
 * @param {Partial<import("../../assets/lessons/judges.js").Seen>} given
 * @returns {import("../../assets/lessons/judges.js").Seen}
 */
function seen(given) {
  const nothing = { trace: null, before: null, earlier: null, picked: null, tree: [] };
  return { ...nothing, kind: "cross", heads: {}, ...given };
}
