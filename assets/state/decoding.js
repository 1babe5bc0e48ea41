/** What a person does to have something decoded: translate, branch, sample. The server is asked. */

import { withoutAims } from "../trace/steering.js";
import { trunk } from "../trace/tree.js";
import { branchingActions } from "./branching.js";
import { clinicActions } from "./clinic.js";
import { partOf } from "./of_guest.js";
import { openingActions } from "./opening.js";
import { HEALTHY, isWrong } from "./patients.js";
import { remembering } from "./remembering.js";
import { requests } from "./requests.js";
import { fileActions } from "./server/files.js";
import { showing } from "./showing.js";

/** @import { Question, State } from "./state.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @import { Branch } from "../trace/tree.js" */

/** Questions whose trees are remembered. */
const MOST = 12;

/**
 * @param {import("./store.js").Store<State>} store
 * @param {import("./server/ask.js").Ask} ask
 * @param {() => void} stop  playing
 */
export function decodingActions(store, ask, stop) {
  /** @type {ReturnType<typeof remembering<Branch[]>>} */
  const trees = remembering(MOST);
  const { begin, decode } = requests(store, ask);
  const show = showing(store, { decode, trees, stop });
  const opening = openingActions(store, { begin, decode, show, recall: trees.recall });
  const { open } = opening;

  /** @param {string} name */
  const modelOf = (name) => store.get().models.find((model) => model.name === name);

  /** @param {string} name */
  const examplesOf = (name) => modelOf(name)?.examples ?? [];

  /** @param {string} source */
  function translate(source) {
    const { model, sampling, interventions, taught, question, guest } = store.get();
    const same = source.trim() === question?.source.trim();
    const changes = same ? interventions : withoutAims(interventions);
    // Tokens are hidden in the text that they stand in.
    const ofGuest = partOf(same ? guest : { ...guest, hidden: [] });
    return open({ model, source, sampling, interventions: changes, taught, ...ofGuest });
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

  return {
    modelOf,
    examplesOf,
    ...opening,
    translate,
    chooseModel,
    changeModel,
    ...branchingActions(store, { begin, decode, show, remember: trees.remember, stop }),
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
    ...clinicActions(store, { begin, decode, show }),
    ...fileActions(store, ask, stop, (showing) => {
      begin(); // what was asked before comes too late
      store.set({ error: null, ignored: [], outdated: false, report: null });
      store.set({ busy: false, branching: false, waiting: null });
      show(showing);
    }),
    /** Waits for it no longer, and ends it where it is computed. */
    cancel() {
      begin();
      const error = { code: "cancelled", details: {} };
      store.set({ busy: false, branching: false, waiting: null, error });
    },
    /** @param {State["sampling"]} sampling  null is greedy decoding */
    chooseSampling(sampling) {
      store.set({ sampling });
      return translate(store.get().source);
    },
  };
}
