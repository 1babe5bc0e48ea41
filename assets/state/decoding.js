/** What a person does to have something decoded: translate, branch, sample. The server is asked. */

import { openingStep } from "../trace/opening.js";
import { parseTrace } from "../trace/trace.js";
import { branchWith, grow, promptLength, prune, trunk } from "../trace/tree.js";
import { clinicActions } from "./clinic.js";
import { fileActions } from "./files.js";
import { headsIn } from "./heads.js";
import { HEALTHY, isWrong } from "./patients.js";
import { NO_ANSWER } from "./server.js";
import { rememberTrees } from "./trees.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Question} Question */
/** @typedef {import("./server.js").Problem} Problem */
/** @typedef {import("../trace/trace.js").Trace} Trace */
/** @typedef {import("../trace/tree.js").Branch} Branch */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server.js").Ask} ask
 * @param {() => void} stop  playing
 */
export function decodingActions(store, ask, stop) {
  let requests = 0;
  const { recall, remember } = rememberTrees();

  /** @param {string} name */
  const modelOf = (name) => store.get().models.find((model) => model.name === name);

  /** @param {string} name */
  const examplesOf = (name) => modelOf(name)?.examples ?? [];

  /**
   * Shows a branch of a tree, by default at a step that tells something.
   *
   * @param {Question | null} question  null: the server could not answer it with this trace
   * @param {Branch[]} tree
   * @param {Branch} branch
   * @param {number} [step]
   * @param {State["file"]} [file]  that the trace is from
   * @param {State["patient"]} [examined]  whose trace it is; by default, of the same question the same
   */
  function show(question, tree, branch, step = undefined, file = null, examined = null) {
    stop();
    const { question: last, patient: shown, lesson } = store.get();
    const patient = examined ?? (question === last ? shown : null);
    if (question && !patient) remember(question, tree); // the same asked elsewhere is not forced
    if (file && lesson?.part === "clinic") store.set({ lesson: null });
    const { trace } = branch;
    step ??= openingStep(trace, promptLength(tree));
    store.set({
      question,
      file,
      refused: null,
      tree,
      trace,
      patient,
      before: patient?.healthy ?? null,
      step: Math.min(step, trace.tgt_out.length - 1),
      compared: null,
      problem: null,
      beyond: null,
      hover: null,
      token: null,
      picked: null,
      ...headsIn(trace, store.get()),
    });
    if (question?.interventions.length && !patient) showBefore(question, branch);
  }

  /**
   * Finds what the same would be with nothing changed in the model.
   *
   * @param {Question} question
   * @param {Branch} branch  that is shown
   */
  async function showBefore(question, { prefix, trace }) {
    const plain = { ...question, interventions: [] };
    const tree = recall(plain);
    const known = tree && branchWith(tree, prefix);
    const before = known ? known.trace : await fetchTrace(plain, prefix);
    if ("code" in before) return;
    if (!tree && !prefix.length) remember(plain, [trunk(before)]);
    if (store.get().trace === trace) store.set({ before });
  }

  /**
   * @param {Question} question
   * @param {number[]} prefix
   * @returns {Promise<Trace | Problem>}
   */
  async function fetchTrace(question, prefix) {
    const request = { ask: "trace", ...question, prefix };
    const mine = requests;
    let { trace, error, waiting } = await ask(request);
    // The place in the queue is kept for whoever asks again.
    while (waiting && mine === requests) {
      store.set({ waiting });
      ({ trace, error, waiting } = await ask(request));
    }
    if (mine === requests) store.set({ waiting: null });
    return trace ? parseTrace(trace) : (error ?? NO_ANSWER);
  }

  /**
   * Shows the answer to a question, and of its branches the one with this prefix.
   *
   * @param {Question} question
   * @param {number[]} [prefix]
   * @param {number[][]} [others]  prefixes of branches to have beside it
   * @param {number} [step]  where it is shown; by default, where it tells something
   * @returns {Promise<Branch | null>}  what is shown now, the trunk if the prefix was refused; null
   *   if the question was, or a newer one was asked meanwhile
   */
  async function open(question, prefix = [], others = [], step = undefined) {
    const request = ++requests;
    store.set({
      ...question,
      ...{ error: null, ignored: [], outdated: false, busy: false, branching: false },
      report: null,
    });
    let tree = recall(question);
    const missing = [prefix, ...others].filter(
      (ids) => ids.length > 0 && !(tree && branchWith(tree, ids)),
    );
    if (!tree || missing.length) {
      store.set({ busy: true });
      const [root, ...answers] = await Promise.all([
        tree ? tree[0].trace : fetchTrace(question, []),
        ...missing.map((ids) => fetchTrace(question, ids)),
      ]);
      if (request !== requests) return null;
      store.set({ busy: false, error: "code" in root ? root : null });
      if ("code" in root) return null;
      tree ??= [trunk(root)];
      for (const [i, answer] of answers.entries()) {
        const known = branchWith(tree, missing[i]);
        if (!known && !("code" in answer)) tree = grow(tree, missing[i], answer);
      }
    }
    const branch = branchWith(tree, prefix) ?? tree[0];
    show(question, tree, branch, step);
    return branch;
  }

  /** @param {string} source */
  function translate(source) {
    const { model, sampling, interventions } = store.get();
    return open({ model, source, sampling, interventions });
  }

  /**
   * An example of the last model makes way for one of the new; a sentence of one's own stays. What
   * was changed in the last model, it knows nothing of.
   *
   * @param {string} model
   */
  function chooseModel(model) {
    const { model: last, source, sampling } = store.get();
    const [example] = examplesOf(model);
    const own = !examplesOf(last).includes(source) || !example;
    if (store.get().lesson?.part === "clinic" && model !== HEALTHY) store.set({ lesson: null });
    return open({ model, source: own ? source : example, sampling, interventions: [] });
  }

  /**
   * Decodes the same anew with other changes to the model; the branch and the step stay.
   *
   * @param {string[]} interventions  all that there are to be
   */
  async function changeModel(interventions) {
    const { question, patient, tree, trace, step } = store.get();
    if (!question) return;
    if (patient) {
      const own = interventions.filter((text) => !isWrong(patient, text));
      await open({ ...patient.question, interventions: own }, [], [], step);
      return;
    }
    const prefix = tree.find((branch) => branch.trace === trace)?.prefix;
    await open({ ...question, interventions }, prefix, [], step);
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
    const known = branchWith(tree, prefix);
    if (known) {
      show(question, tree, known, step);
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
   * Shows a branch of the tree at the step where the last one stood.
   *
   * @param {Branch} branch
   * @param {number} [step]
   */
  function visit(branch, step = store.get().step) {
    const { question, tree } = store.get();
    if (question) show(question, tree, branch, step);
  }

  /** @param {Branch} branch  with all that forked from it; not the trunk */
  function close(branch) {
    const { question, tree, trace, compared } = store.get();
    if (!question || !branch.forkedFrom) return;
    const left = prune(tree, branch);
    if (!left.some((other) => other.trace === trace)) {
      show(question, left, branch.forkedFrom, store.get().step);
    } else {
      remember(question, left);
      store.set({ tree: left, compared: compared && left.includes(compared) ? compared : null });
    }
  }

  return {
    modelOf,
    examplesOf,
    open,
    translate,
    chooseModel,
    changeModel,
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
    ...clinicActions(store, {
      begin() {
        const mine = ++requests;
        return () => mine === requests;
      },
      fetchTrace,
      show: (question, tree, branch, step, patient) =>
        show(question, tree, branch, step, null, patient),
    }),
    ...fileActions(store, ask, stop, (question, tree, branch, file) => {
      requests++; // what was asked before comes too late
      store.set({ error: null, ignored: [], outdated: false, report: null });
      store.set({ busy: false, branching: false, waiting: null });
      show(question, tree, branch, undefined, file);
    }),
    /** @param {Branch} branch  marked against the one that is shown; the same again ends it */
    compare: (branch) => store.set({ compared: store.get().compared === branch ? null : branch }),
    /** @param {Branch | null} compared */
    compareWith: (compared) => store.set({ compared, other: null, moments: null }),
    /** @param {NonNullable<State["other"]>} other */
    compareWithOther: (other) => store.set({ other, moments: null }),
    /** @param {State["moments"]} moments */
    compareMoments: (moments) => store.set({ moments, other: null }),
    /** @param {State["sampling"]} sampling  null is greedy decoding */
    chooseSampling(sampling) {
      store.set({ sampling });
      return translate(store.get().source);
    },
    /** @param {string} source */
    editSource: (source) => store.set({ source }),
  };
}
