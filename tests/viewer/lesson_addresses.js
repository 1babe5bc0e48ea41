/** Reads the addresses of the lesson plans, as the page does, over traces of the models that they name. */

import { parametersOf, tabsOf, usualOf } from "../../assets/parts/question.js";
import { QUESTIONS } from "../../assets/questions/index.js";
import { readQuestion } from "../../assets/state/address/question.js";
import { readAsking } from "../../assets/state/classroom/plan.js";
import { DEFAULT_LINES } from "../../assets/state/state.js";
import { readTrace } from "../../assets/trace/saved.js";
import { branchWith, grow, trunk } from "../../assets/trace/tree.js";

/**
 * @param {string} address
 * @param {Record<string, any>[]} saved  the trace without a prefix, and the one with it, if it asks for one
 * @param {any[]} models
 * @returns {string[]}  the parameters that the page would leave out
 */
export function leftOut(address, saved, models) {
  const search = new URLSearchParams(address);
  const [first, branch] = saved.map(readTrace);
  if (!first) throw new Error(`no trace for ${address}`);
  /** As much of the page as addresses are read over. @type {any} */
  const state = {
    ...{ models, model: models[0].name, step: 0, kind: "cross", heads: {}, pins: {}, tables: {} },
    ...{ tab: "attention", picture: "matrix" },
    ...{ beyond: null, lacking: [], lesson: null, solved: [], patient: null },
    ...{ ...usualOf(QUESTIONS), lines: DEFAULT_LINES, tabs: tabsOf(QUESTIONS), unfolded: [] },
  };
  const { prefix, ignored } = readQuestion(search, state);
  let tree = [trunk(first)];
  if (branch) tree = grow(tree, prefix, branch);
  state.tree = tree;
  state.trace = branchWith(tree, prefix)?.trace ?? null;
  if (!state.trace) ignored.push("prefix");
  const names = ["model", "source", "sampling", "off", "prefix"];
  for (const { name, read } of parametersOf(QUESTIONS)) {
    names.push(name);
    const text = search.get(name);
    const part = text === null ? {} : read(text, state);
    if (part) Object.assign(state, part);
    else ignored.push(name);
  }
  // What a class is asked is no way of looking.
  names.push("ask");
  if (search.has("ask") && !readAsking(search.get("ask"))) ignored.push("ask");
  // A step that the sentence does not have is shown as its last, with a word about it.
  if (state.beyond) ignored.push("step");
  return [...ignored, ...[...search.keys()].filter((name) => !names.includes(name))];
}
