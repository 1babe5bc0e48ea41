/** Reads the addresses of the lesson plans, as the page does, over traces of the models that they name. */

import { DEFAULT_PATCHING } from "../../assets/questions/patching/settings.js";
import { DEFAULT_WORDS } from "../../assets/questions/readings/settings.js";
import { DEFAULT_TRAINING } from "../../assets/questions/training/settings.js";
import { PARAMETERS } from "../../assets/state/address/parameters.js";
import { readQuestion } from "../../assets/state/address/question.js";
import {
  DEFAULT_DIAGRAM,
  DEFAULT_LAYERS,
  DEFAULT_LINES,
  DEFAULT_MEASURED,
} from "../../assets/state/state.js";
import { readTrace } from "../../assets/trace/saved.js";
import { branchWith, grow, trunk } from "../../assets/trace/tree.js";

/**
 * @param {string} address
 * @param {Record<string, any>[]} saved  the trace without a prefix, and the one with it, if it asks for one
 * @param {any[]} models
 * @returns {string[]}  the parameters that the page would leave out
 */
export function leftOut(address, saved, models) {
  const asked = new URLSearchParams(address);
  const [first, branch] = saved.map(readTrace);
  if (!first) throw new Error(`no trace for ${address}`);
  /** As much of the page as addresses are read over. @type {any} */
  const state = {
    ...{ models, model: models[0].name, step: 0, kind: "cross", heads: {}, pins: {}, tables: {} },
    ...{ tab: "attention", picture: "matrix" },
    ...{ beyond: null, lacking: [], lesson: null, solved: [], patient: null },
    ...{ diagram: DEFAULT_DIAGRAM, layers: DEFAULT_LAYERS },
    ...{ lines: DEFAULT_LINES, measured: DEFAULT_MEASURED, training: DEFAULT_TRAINING },
    ...{ words: DEFAULT_WORDS, patching: DEFAULT_PATCHING },
  };
  const { prefix, ignored } = readQuestion(asked, state);
  let tree = [trunk(first)];
  if (branch) tree = grow(tree, prefix, branch);
  state.tree = tree;
  state.trace = branchWith(tree, prefix)?.trace ?? null;
  if (!state.trace) ignored.push("prefix");
  const known = ["model", "source", "sampling", "off", "prefix"];
  for (const { name, read } of PARAMETERS) {
    known.push(name);
    const text = asked.get(name);
    const part = text === null ? {} : read(text, state);
    if (part) Object.assign(state, part);
    else ignored.push(name);
  }
  // A step that the sentence does not have is shown as its last, with a word about it.
  if (state.beyond) ignored.push("step");
  return [...ignored, ...[...asked.keys()].filter((name) => !known.includes(name))];
}
