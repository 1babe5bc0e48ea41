/** The lines of one decode: the trunk, and the branches where somebody chose another token. */

/** @typedef {import("./trace.js").Trace} Trace */

/**
 * @typedef {object} Line
 * @property {number} number  0 for the trunk; then as they were made
 * @property {number[]} prefix  the ids that it was made to begin with, without a prompt
 * @property {Trace} trace
 * @property {Line | null} parent  the line that it parted from
 */

/**
 * @param {Trace} trace
 * @returns {Line}
 */
export function trunk(trace) {
  return { number: 0, prefix: [], trace, parent: null };
}

/**
 * The tree with one more line, which parts from the line that it has most in common with.
 *
 * @param {Line[]} tree
 * @param {number[]} prefix
 * @param {Trace} trace
 * @returns {Line[]}
 */
export function grow(tree, prefix, trace) {
  const common = tree.map((line) => commonLength(line.trace, trace));
  const parent = tree[common.indexOf(Math.max(...common))];
  const number = Math.max(...tree.map((line) => line.number)) + 1;
  return [...tree, { number, prefix, trace, parent }];
}

/**
 * The tree without a line and what parted from it.
 *
 * @param {Line[]} tree
 * @param {Line} line
 */
export function prune(tree, line) {
  return tree.filter((other) => !pathTo(other).includes(line));
}

/**
 * The line that a decode from this prefix would repeat, if there is one: choosing what a line says
 * anyway branches nowhere.
 *
 * @param {Line[]} tree
 * @param {number[]} prefix
 */
export function lineWith(tree, prefix) {
  const given = promptLength(tree);
  return tree.find(
    (line) =>
      line.prefix.length <= prefix.length &&
      prefix.every((id, i) => line.trace.tgt_ids[given + i] === id),
  );
}

/**
 * How many of the first tokens are the prompt of a decoder-only model.
 *
 * @param {Line[]} tree
 */
export function promptLength([trunk]) {
  return trunk && trunk.trace.src.length === 0 ? trunk.trace.prefix_length : 0;
}

/**
 * Whether a token was given rather than chosen by the model. What a branch repeats of its parent
 * was forced too, but the model had chosen it.
 *
 * @param {Line[]} tree
 * @param {Trace} trace  of one of its lines
 * @param {number} step
 */
export function isGiven(tree, trace, step) {
  if (step < promptLength(tree)) return true;
  if (step >= trace.prefix_length) return false;
  if (!trace.sampling) return trace.tgt_ids[step] !== trace.candidates[step][0]?.id;
  const line = tree.find((line) => line.trace === trace);
  if (!line?.parent) return true;
  return pathTo(line).some((branch) => branch.parent && forkOf(branch) === step);
}

/**
 * From the trunk to a line.
 *
 * @param {Line} line
 * @returns {Line[]}
 */
export function pathTo(line) {
  return line.parent ? [...pathTo(line.parent), line] : [line];
}

/**
 * The first step at which a line says something else than its parent; 0 for the trunk.
 *
 * @param {Line} line
 */
export function forkOf({ trace, parent }) {
  return parent ? commonLength(parent.trace, trace) : 0;
}

/**
 * Every line after the one that it parted from.
 *
 * @param {Line[]} tree
 * @param {Line | null} [parent]
 * @returns {Line[]}
 */
export function inOrder(tree, parent = null) {
  const lines = tree.filter((line) => line.parent === parent);
  return lines.flatMap((line) => [line, ...inOrder(tree, line)]);
}

/**
 * Which tokens of two lines have no partner in the other: the partners are a longest common
 * subsequence, so that one token more does not make all that follow it different.
 *
 * @param {number[]} one
 * @param {number[]} other
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

/**
 * @param {Trace} one
 * @param {Trace} other
 */
function commonLength(one, other) {
  const length = one.tgt_ids.findIndex((id, step) => id !== other.tgt_ids[step]);
  return length < 0 ? one.tgt_ids.length : length;
}
