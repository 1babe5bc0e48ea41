/** The trees of the last questions, so that going back to one is instant. */

/** @typedef {import("./state.js").Question} Question */
/** @typedef {import("../trace/tree.js").Branch} Branch */

/** So many are remembered. */
const MOST = 12;

/**
 * @returns {{recall: (question: Question) => Branch[] | undefined, remember: (question: Question, tree: Branch[]) => void}}
 */
export function rememberTrees() {
  /** @type {Map<string, Branch[]>} */
  const trees = new Map();
  return {
    recall: (question) => trees.get(JSON.stringify(question)),
    remember(question, tree) {
      const key = JSON.stringify(question);
      trees.delete(key);
      trees.set(key, tree);
      for (const oldest of [...trees.keys()].slice(0, -MOST)) trees.delete(oldest);
    },
  };
}
