/** The tree of one decode: the trunk, and the branches where somebody chose another token. */

/** @import { Trace } from "./trace.js" */

/**
 * @typedef {object} Branch
 * @property {number} number  0 for the trunk; then as they were made
 * @property {number[]} prefix  the ids that it was made to begin with, without a prompt
 * @property {Trace} trace
 * @property {Branch | null} forkedFrom  null for the trunk
 */

/** The branch that nobody has begun: the model's own translation. @type {(trace: Trace) => Branch} */
export function trunk(trace) {
  return { number: 0, prefix: [], trace, forkedFrom: null };
}

/**
 * The tree with one more branch, which forks from the one that it has most in common with.
 *
 * @type {(tree: Branch[], prefix: number[], trace: Trace) => Branch[]}
 */
export function grow(tree, prefix, trace) {
  const common = tree.map((branch) => commonLength(branch.trace, trace));
  const forkedFrom = tree[common.indexOf(Math.max(...common))];
  const number = Math.max(...tree.map((branch) => branch.number)) + 1;
  return [...tree, { number, prefix, trace, forkedFrom }];
}

/**
 * The tree without a branch and what forked from it.
 *
 * @param {Branch[]} tree
 * @param {Branch} branch
 */
export function prune(tree, branch) {
  return tree.filter((other) => !pathTo(other).includes(branch));
}

/**
 * The branch that a decode from this prefix would repeat, if there is one: choosing what one says
 * anyway branches nowhere.
 *
 * @param {Branch[]} tree
 * @param {number[]} prefix
 */
export function branchWith(tree, prefix) {
  const given = promptLength(tree);
  return tree.find(
    (branch) =>
      branch.prefix.length <= prefix.length &&
      prefix.every((id, i) => branch.trace.tgt_ids[given + i] === id),
  );
}

/**
 * How many of the first tokens are the prompt of a decoder-only model.
 *
 * @param {Branch[]} tree
 */
export function promptLength([trunk]) {
  return trunk && trunk.trace.src.length === 0 ? trunk.trace.prefix_length : 0;
}

/**
 * Whether a token was given rather than chosen by the model. What a branch repeats of another
 * was forced too, but the model had chosen it.
 *
 * @param {Branch[]} tree
 * @param {Trace} trace  of one of its branches
 * @param {number} step
 */
export function isGiven(tree, trace, step) {
  if (!trace.tgt_ids.length) return false;
  if (step < promptLength(tree)) return true;
  if (isForced(trace)) return !isLikeliest(trace, step);
  if (step >= trace.prefix_length) return false;
  if (!trace.sampling) return !isLikeliest(trace, step);
  const shown = tree.find((branch) => branch.trace === trace);
  if (!shown?.forkedFrom) return true;
  return pathTo(shown).some((branch) => branch.forkedFrom && forkStep(branch) === step);
}

/**
 * Whether none of the tokens was chosen by the model that is shown: what sees later tokens, or mixes
 * those of a text, can only be shown over what another has written (`is_stepwise` in Python).
 *
 * @param {Pick<Trace, "interventions" | "prefix_length" | "tgt_ids">} trace
 */
export function isForced({ interventions = [], prefix_length, tgt_ids }) {
  return (
    (tgt_ids.length > 0 && prefix_length >= tgt_ids.length) ||
    interventions.some((text) => /^(causal|heads)=/.test(text))
  );
}

/**
 * The path from the trunk to a branch.
 *
 * @param {Branch} branch
 * @returns {Branch[]}
 */
export function pathTo(branch) {
  return branch.forkedFrom ? [...pathTo(branch.forkedFrom), branch] : [branch];
}

/**
 * The first step at which a branch says something else than the one it forked from; 0 for the trunk.
 *
 * @param {Branch} branch
 */
export function forkStep({ trace, forkedFrom }) {
  return forkedFrom ? commonLength(forkedFrom.trace, trace) : 0;
}

/**
 * Every branch after the one that it forked from.
 *
 * @type {(tree: Branch[], forkedFrom?: Branch | null) => Branch[]}
 */
export function inOrder(tree, forkedFrom = null) {
  const branches = tree.filter((branch) => branch.forkedFrom === forkedFrom);
  return branches.flatMap((branch) => [branch, ...inOrder(tree, branch)]);
}

/**
 * Which tokens of two texts have no partner in the other: the partners are a longest common
 * subsequence, so that one token more does not make all that follow it different.
 *
 * @param {(number | string)[]} one
 * @param {(number | string)[]} other
 * @returns {[Set<number>, Set<number>]}  indices
 */
export function differences(one, other) {
  /** @type {number[][]} */
  const common = Array.from({ length: one.length + 1 }, () => Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i][j] =
        one[i] === other[j]
          ? common[i + 1][j + 1] + 1
          : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const [mine, its] = [new Set(one.keys()), new Set(other.keys())];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) {
      mine.delete(i++);
      its.delete(j++);
    } else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return [mine, its];
}

/** @type {(one: Trace, other: Trace) => number} */
function commonLength(one, other) {
  const length = one.tgt_ids.findIndex((id, step) => id !== other.tgt_ids[step]);
  return length < 0 ? one.tgt_ids.length : length;
}

/** @type {(trace: Trace, step: number) => boolean}  whether the token is what the model says first */
function isLikeliest({ tgt_ids, candidates }, step) {
  return tgt_ids[step] === candidates[step]?.[0]?.id;
}
