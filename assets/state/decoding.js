/** What a person does to have something decoded: translate, branch, sample. The server is asked. */

import { withoutAims } from "../trace/steering.js";
import { branchWith, grow, promptLength, prune, trunk } from "../trace/tree.js";
import { clinicActions } from "./clinic.js";
import { mends } from "./mending.js";
import { HEALTHY, isWrong } from "./patients.js";
import { plan, planted, shown } from "./plan.js";
import { problemOf } from "./problem.js";
import { remembering } from "./remembering.js";
import { fileActions } from "./server/files.js";
import { fetchTrace } from "./server/traces.js";

/** @import { Question, State } from "./state.js" */
/** @import { Problem } from "./problem.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @import { Branch } from "../trace/tree.js" */

/** So many questions' trees are remembered. */
const MOST = 12;

/** Its rate was too high. */
const LESSON_UNDONE = "lesson_undone";

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server/ask.js").Ask} ask
 * @param {() => void} stop  playing
 */
export function decodingActions(store, ask, stop) {
  /** What waits for an answer to the last question; another question ends it. */
  let waiting = new AbortController();
  /** The last source that was refused. */
  let refused = "";
  /** Asks what was refused once more. */
  let again = () => {};
  /** @type {ReturnType<typeof remembering<Branch[]>>} */
  const { recall, remember } = remembering(MOST);

  /** @param {string} name */
  const modelOf = (name) => store.get().models.find((model) => model.name === name);

  /** @param {string} name */
  const examplesOf = (name) => modelOf(name)?.examples ?? [];

  /** @param {import("./plan.js").Showing} showing */
  function show(showing) {
    stop();
    const { question, tree, branch, file } = showing;
    const change = shown(store.get(), showing);
    if (question && !change.patient) remember(question, tree); // the same asked elsewhere is not forced
    if (file && store.get().lesson?.part === "clinic") store.set({ lesson: null });
    store.set(change);
    const isChanged = question?.interventions.length || question?.taught;
    if (isChanged && !change.patient) showBefore(question, branch);
  }

  /**
   * Finds what the same would be with nothing changed in the model; in one that was only taught, before
   * its lesson.
   *
   * @param {Question} question
   * @param {Branch} branch  that is shown
   */
  async function showBefore(question, { prefix, trace }) {
    const plain = question.interventions.length
      ? { ...question, interventions: [] }
      : { ...question, taught: null };
    const tree = recall(plain);
    const known = tree && branchWith(tree, prefix);
    const before = known ? known.trace : await decode(plain, prefix);
    if ("code" in before) return;
    if (!tree && !prefix.length) remember(plain, [trunk(before)]);
    if (store.get().trace === trace) store.set({ before });
  }

  /** @returns {AbortSignal}  of a new question */
  function begin() {
    waiting.abort();
    waiting = new AbortController();
    return waiting.signal;
  }

  /** @type {(question: Question, prefix: number[]) => Promise<Trace | Problem>} */
  async function decode(question, prefix) {
    const { signal } = waiting;
    const wait = (/** @type {import("./state.js").Waiting} */ place) => {
      if (!signal.aborted) store.set({ waiting: place });
      return !signal.aborted;
    };
    const answer = await fetchTrace(ask, question, prefix, wait, signal).catch(problemOf);
    if (!signal.aborted) store.set({ waiting: null });
    return answer;
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
    const signal = begin();
    again = () => {};
    store.set({
      ...question,
      ...{ error: null, ignored: [], outdated: false, busy: false, branching: false },
      ...{ report: null, refused: null },
    });
    let tree = recall(question);
    const asked = plan(tree, [prefix, ...others]);
    if (asked.length) {
      store.set({ busy: true });
      const answers = await Promise.all(asked.map((ids) => decode(question, ids)));
      if (signal.aborted) return null;
      const error = !tree && "code" in answers[0] ? answers[0] : null;
      store.set({ busy: false, error });
      if (error) {
        // Else whatever is asked next would be refused as well.
        store.set({ taught: store.get().question?.taught ?? null });
        refused = question.source;
        again = () => open(question, prefix, others, step);
        return question.taught && error.code === LESSON_UNDONE
          ? openUntaught(question, error)
          : null;
      }
      tree = planted(tree, asked, answers);
    }
    if (!tree) return null;
    const branch = branchWith(tree, prefix) ?? tree[0];
    show({ question, tree, branch, step });
    return branch;
  }

  /**
   * What the same model says without a lesson that came to nothing, and why it did.
   *
   * @param {Question} question
   * @param {Problem} error
   */
  async function openUntaught(question, error) {
    const shown = await open({ ...question, taught: null });
    if (shown) store.set({ error });
    return shown;
  }

  /** @param {string} source */
  function translate(source) {
    const { model, sampling, interventions, taught, question } = store.get();
    const same = source.trim() === question?.source.trim();
    const kept = same ? interventions : withoutAims(interventions);
    return open({ model, source, sampling, interventions: kept, taught });
  }

  /**
   * An example of the last model makes way for one of the new; a sentence of one's own stays. What
   * was changed in the last model, or taught to it, it knows nothing of.
   *
   * @param {string} model
   */
  function chooseModel(model) {
    const { model: last, source, sampling } = store.get();
    const [example] = examplesOf(model);
    const own = !examplesOf(last).includes(source) || !example;
    if (store.get().lesson?.part === "clinic" && model !== HEALTHY) store.set({ lesson: null });
    const next = { model, source: own ? source : example, sampling };
    return open({ ...next, interventions: [], taught: null });
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
      show({ question, tree, branch: known, step });
      return;
    }
    const signal = begin();
    stop();
    store.set({ branching: true, busy: false, problem: null });
    const answer = await decode(question, prefix);
    if (signal.aborted) return;
    store.set({ branching: false });
    if ("code" in answer) {
      store.set({ problem: answer });
    } else {
      const grown = grow(store.get().tree, prefix, answer);
      show({ question, tree: grown, branch: grown[grown.length - 1], step });
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
    if (question) show({ question, tree, branch, step });
  }

  /** @param {Branch} branch  with all that forked from it; not the trunk */
  function close(branch) {
    const { question, tree, trace, compared } = store.get();
    if (!question || !branch.forkedFrom) return;
    const left = prune(tree, branch);
    if (!left.some((other) => other.trace === trace)) {
      show({ question, tree: left, branch: branch.forkedFrom, step: store.get().step });
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
      show({ question, tree, branch: tree[0] });
    },
    /** Asks again what was refused, whose answer can be had now: a trace, or what a view has asked. */
    askAgain() {
      const { error, askedAgain } = store.get();
      if (error) again();
      else store.set({ problem: null, askedAgain: askedAgain + 1 });
    },
    ...clinicActions(store, { begin, decode, show }),
    ...fileActions(store, ask, stop, (showing) => {
      begin(); // what was asked before comes too late
      store.set({ error: null, ignored: [], outdated: false, report: null });
      store.set({ busy: false, branching: false, waiting: null });
      show(showing);
    }),
    /** @param {State["sampling"]} sampling  null is greedy decoding */
    chooseSampling(sampling) {
      store.set({ sampling });
      return translate(store.get().source);
    },
    /**
     * What a problem complains of goes with the keystroke that mends it.
     *
     * @param {string} source
     */
    editSource(source) {
      const { error } = store.get();
      store.set({ source, ...(error && mends(source, error, refused) ? { error: null } : {}) });
    },
  };
}
