/** What a person does with a file of their own: open it, and go back to what was shown before. */

import { everyHead } from "../../trace/choice.js";
import { wasTaught } from "../../trace/correction.js";
import { Unreadable } from "../../trace/fields.js";
import { KINDS } from "../../trace/kinds.js";
import { SECOND } from "../../trace/payload.js";
import { grow, promptLength, trunk } from "../../trace/tree.js";
import { headWeights, sameShape } from "../../trace/weights.js";
import { NO_ANSWER, problemOf } from "../problem.js";
import { fetchTrace } from "./traces.js";

/** @import { Question, State } from "../state.js" */
/** @import { Problem } from "../problem.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Branch } from "../../trace/tree.js" */

/** What going back brings back. */
const KEPT = /** @type {const} */ ([
  ...["model", "source", "sampling", "interventions", "taught", "question", "tree", "trace"],
  ...["before", "compared", "step", "heads", "pins", "kind", "picked"],
]);

/** Milliseconds until a file is shown, whether or not the server has said if it knows the model. */
const PATIENCE = 4000;

/** Between the weights of a file and of the same model on this machine: no eye sees it. */
const TOLERANCE = 0.01;

/**
 * @param {import("../store.js").Store<State>} store
 * @param {import("./ask.js").Ask} ask
 * @param {() => void} stop  playing
 * @param {(showing: import("../plan.js").Showing) => void} show
 */
export function fileActions(store, ask, stop, show) {
  let files = 0;

  /** @param {File} file */
  async function openFile(file) {
    const mine = ++files;
    store.set({ refused: null });
    try {
      const reader = await import("./dropped.js").catch(() => null);
      if (!reader) return store.set({ refused: NO_ANSWER });
      const content = await reader.readDropped(file);
      if (mine !== files) return;
      if ("report" in content) {
        stop();
        // The picture stays as it is, out of sight.
        const { report } = content;
        store.set({ report: { name: file.name, report, head: 0 }, presenter: false });
        return;
      }
      const { trace } = content;
      const answer = await knownToServer(trace);
      if (mine !== files) return;
      const { file: last, ...state } = store.get();
      const before = last?.before ?? Object.fromEntries(KEPT.map((key) => [key, state[key]]));
      const reason = "code" in answer ? answer : null;
      const of = { name: file.name, reason, before };
      if ("code" in answer) {
        const alone = trunk(trace);
        // What the box and the picker would ask next is this, if it can be asked at all.
        if (isInstalled(trace)) store.set(questionOf(trace, null));
        show({ question: null, tree: [alone], branch: alone, file: of });
      } else {
        store.set(answer.question);
        show({ ...answer, file: of });
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { code, details } = error.problem;
      if (mine === files)
        store.set({ refused: { code, details: { name: file.name, ...details } } });
    }
  }

  /** @param {Trace} trace */
  function isInstalled({ model }) {
    return store.get().models.some(({ name }) => name === model);
  }

  /**
   * The question that the server would answer with this very trace; or why there is none, and so
   * nothing about it can be asked.
   *
   * @param {Trace} trace
   * @returns {Promise<{question: Question, tree: Branch[], branch: Branch} | Problem>}
   */
  async function knownToServer(trace) {
    const { model } = trace;
    if (trace.version === SECOND) return { code: "file_given", details: {} };
    if (!isInstalled(trace)) return { code: "file_model_missing", details: { model } };
    // Of a correction a trace tells its hash alone; the one that is shown may be the same.
    const { trace: shown, question: last } = store.get();
    const same = shown?.checkpoint === trace.checkpoint;
    const question = questionOf(trace, (same && last?.taught) || null);
    const root = await decode(question, []);
    if ("code" in root) return root;
    if (wasTaught(trace) && root.checkpoint !== trace.checkpoint)
      return { code: "file_model_taught", details: { model } };
    if (root.checkpoint !== trace.checkpoint)
      return { code: "file_model_other", details: { model } };
    const first = trunk(root);
    const prefix = trace.tgt_ids.slice(promptLength([first]), trace.prefix_length);
    const again = prefix.length ? await decode(question, prefix) : root;
    if ("code" in again) return again;
    if (!isSame(trace, again)) return { code: "file_answer_other", details: { model } };
    const tree = prefix.length ? grow([first], prefix, trace) : [trunk(trace)];
    return { question, tree, branch: tree[tree.length - 1] };
  }

  /** @type {(question: Question, prefix: number[]) => Promise<Trace | Problem>} */
  async function decode(question, prefix) {
    /** @type {Promise<Problem>} */
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, NO_ANSWER));
    const answer = fetchTrace(ask, question, prefix, () => false).catch(problemOf);
    return Promise.race([answer, late]);
  }

  return {
    openFile,
    /** Shows what was shown before the report. */
    closeReport: () => store.set({ report: null }),
    /** @param {number} head  of all that the report has */
    chooseRecorded(head) {
      const { report } = store.get();
      if (report) store.set({ report: { ...report, head } });
    },
    /** Shows what was shown before the first file. */
    closeFile: () =>
      store.set({ ...store.get().file?.before, file: null, refused: null, hover: null }),
  };
}

/** @type {(trace: Trace, taught: Question["taught"]) => Question} */
function questionOf({ model, source, sampling = null, interventions = [] }, taught) {
  return { model, source, sampling, interventions, taught };
}

/**
 * Whether two traces say the same, and show the same.
 *
 * @param {Trace} one
 * @param {Trace} other
 */
function isSame(one, other) {
  const content = (/** @type {Trace} */ { src, tgt_ids, interventions = [] }) =>
    JSON.stringify([src, tgt_ids, interventions]);
  return (
    content(one) === content(other) &&
    KINDS.every((kind) => {
      const [mine, its] = [one.weights[kind], other.weights[kind]];
      if (!mine || !its) return mine === its;
      if (!sameShape(mine, its)) return false;
      return everyHead(mine).every((choice) => {
        const other = headWeights(its, choice);
        return headWeights(mine, choice).every(
          (weight, i) => Math.abs(weight - other[i]) < TOLERANCE,
        );
      });
    })
  );
}
