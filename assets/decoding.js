/** What a person does to have something decoded: translate, branch, sample. The server is asked. */

import { keepLooking } from "./looking.js";
import { parseTrace } from "./trace.js";
import { grow, lineWith, promptLength, prune, trunk } from "./tree.js";

/** @typedef {import("./actions.js").State} State */
/** @typedef {import("./actions.js").Problem} Problem */
/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./tree.js").Line} Line */

/**
 * As the server takes it.
 *
 * @typedef {{temperature: number, top_k: number, seed: number}} Sampling
 */

/**
 * What the trunk of a tree answers.
 *
 * @typedef {{model: string, source: string, sampling: Sampling | null}} Question
 */

/** So many questions' trees are kept, so that going back to them is instant. */
const KEPT_TREES = 12;

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./actions.js").Ask} ask
 * @param {() => void} stop  playing
 */
export function decodingActions(store, ask, stop) {
  let requests = 0;
  /** @type {Map<string, Line[]>} */
  const trees = new Map();

  /** @param {string} name */
  const modelOf = (name) => store.get().models.find((model) => model.name === name);

  /** @param {string} name */
  const examplesOf = (name) => modelOf(name)?.examples ?? [];

  /**
   * @param {Question} question
   * @param {Line[]} tree
   */
  function keep(question, tree) {
    const key = JSON.stringify(question);
    trees.delete(key);
    trees.set(key, tree);
    for (const oldest of [...trees.keys()].slice(0, -KEPT_TREES)) trees.delete(oldest);
  }

  /** @param {Question} question */
  const kept = (question) => trees.get(JSON.stringify(question));

  /**
   * Shows a line of a tree, by default from its end: the whole picture first, then step back
   * through it.
   *
   * @param {Question} question
   * @param {Line[]} tree
   * @param {Line} line
   * @param {number} [step]
   */
  function show(question, tree, line, step = Infinity) {
    stop();
    keep(question, tree);
    const { trace } = line;
    store.set({
      question,
      tree,
      trace,
      step: Math.min(step, trace.tgt_out.length - 1),
      compared: null,
      problem: null,
      hover: null,
      token: null,
      picked: null,
      ...keepLooking(trace, store.get()),
    });
  }

  /**
   * @param {Question} question
   * @param {number[]} prefix
   * @returns {Promise<Trace | Problem>}
   */
  async function fetchTrace(question, prefix) {
    const answer = await ask({ ask: "trace", ...question, prefix }).catch(() => undefined);
    if (answer?.trace) return parseTrace(answer.trace);
    return answer?.error ?? NO_ANSWER;
  }

  /**
   * Shows the answer to a question, and of its lines the one with this prefix.
   *
   * @param {Question} question
   * @param {number[]} [prefix]
   * @returns {Promise<Line | null>}  what is shown now, the trunk if the prefix was refused; null if
   *   the question was, or a newer one was asked meanwhile
   */
  async function open(question, prefix = []) {
    const request = ++requests;
    store.set({ ...question, error: null, ignored: [], busy: false, branching: false });
    let tree = kept(question);
    let line = tree && lineWith(tree, prefix);
    if (!tree || !line) {
      store.set({ busy: true });
      const whole = tree ? tree[0].trace : fetchTrace(question, []);
      const answers = await Promise.all([
        whole,
        prefix.length ? fetchTrace(question, prefix) : null,
      ]);
      if (request !== requests) return null;
      const [root, branch] = answers;
      store.set({ busy: false, error: "code" in root ? root : null });
      if ("code" in root) return null;
      tree ??= [trunk(root)];
      if (branch && !("code" in branch)) tree = grow(tree, prefix, branch);
      line = lineWith(tree, prefix);
    }
    line ??= tree[0];
    show(question, tree, line);
    return line;
  }

  /** @param {string} source */
  function translate(source) {
    const { model, sampling } = store.get();
    return open({ model, source, sampling });
  }

  /**
   * An example of the last model makes way for one of the new; a sentence of one's own stays.
   *
   * @param {string} model
   */
  function chooseModel(model) {
    const { model: last, source, sampling } = store.get();
    const [example] = examplesOf(model);
    const own = !examplesOf(last).includes(source) || !example;
    return open({ model, source: own ? source : example, sampling });
  }

  /**
   * Decodes on from the current step with another token in place of the one it emitted.
   *
   * @param {number} id
   */
  async function branch(id) {
    const { question, tree, trace, step } = store.get();
    if (!question || !trace) return;
    const prefix = [...trace.tgt_ids.slice(promptLength(tree), step), id];
    const line = lineWith(tree, prefix);
    if (line) {
      show(question, tree, line, step);
      return;
    }
    const request = ++requests;
    stop();
    store.set({ branching: true, busy: false, problem: null });
    const answer = await fetchTrace(question, prefix);
    if (request !== requests) return;
    store.set({ branching: false });
    if ("code" in answer) {
      store.set({ problem: answer });
    } else {
      const grown = grow(store.get().tree, prefix, answer);
      show(question, grown, grown[grown.length - 1], step);
    }
  }

  /**
   * Shows a line of the tree at the step where the last one stood.
   *
   * @param {Line} line
   * @param {number} [step]
   */
  function visit(line, step = store.get().step) {
    const { question, tree } = store.get();
    if (question) show(question, tree, line, step);
  }

  /** @param {Line} line  with all that parted from it; not the trunk */
  function close(line) {
    const { question, tree, trace, compared } = store.get();
    if (!question || !line.parent) return;
    const left = prune(tree, line);
    if (!left.some((other) => other.trace === trace)) {
      show(question, left, line.parent, store.get().step);
    } else {
      keep(question, left);
      store.set({ tree: left, compared: compared && left.includes(compared) ? compared : null });
    }
  }

  return {
    modelOf,
    examplesOf,
    open,
    translate,
    chooseModel,
    branch,
    visit,
    close,
    /**
     * Shows a trace that needs no asking.
     *
     * @param {Question} question
     * @param {Trace} trace
     */
    begin(question, trace) {
      const tree = [trunk(trace)];
      show(question, tree, tree[0]);
    },
    /** @param {Line} line  marked against the one that is shown; the same again ends it */
    compare: (line) => store.set({ compared: store.get().compared === line ? null : line }),
    /** @param {Sampling | null} sampling  null is greedy decoding */
    sample(sampling) {
      store.set({ sampling });
      return translate(store.get().source);
    },
    /** @param {string} source */
    edit: (source) => store.set({ source }),
  };
}

/** @type {Problem} */
const NO_ANSWER = { code: "no_answer", details: {} };
