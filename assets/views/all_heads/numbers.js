/** What is known of each head in numbers: what came with the trace, or is measured here bit by bit. */

import { inSlices } from "../../parts/slices.js";
import { measuringHeads } from "../../trace/measured.js";
import { headRows } from "../../trace/statistics.js";

/** @import { Statistics } from "../../trace/answers.d.ts" */
/** @import { HeadRow, Sweep } from "../../trace/statistics.js" */
/** @import { Trace } from "../../trace/trace.js" */

/**
 * @param {import("../../state/actions.js").Context} context  whose `watch` waits to be seen
 * @param {() => void} follow  called when more is known
 */
export function headNumbers({ store, about, watch }, follow) {
  /** @type {{trace: Trace, statistics: Statistics} | null} */
  let measured = null;
  /** @type {{trace: Trace, swept: Sweep} | null} */
  let harm = null;

  watch(["trace"], ({ trace }) => {
    if (!trace || measured?.trace === trace || isLacking(trace)) return;
    const isShown = () => store.get().trace === trace;
    const done = (/** @type {Statistics} */ statistics) => {
      measured = { trace, statistics };
      follow();
    };
    inSlices(measuringHeads(trace), done, isShown);
  });
  // Asked for in the tab of heads, where it is said what it costs.
  watch(["trace", "kind", "tab"], async ({ trace, kind }) => {
    const options = { kinds: [kind] };
    if (!trace || !about(trace).knows("sweep", options)) return;
    harm = { trace, swept: await about(trace).inside("sweep", options) };
    follow();
  });

  /**
   * Rows of the shown kind.
   *
   * @returns {HeadRow[] | null}  null: nothing yet
   */
  return () => {
    const { trace, kind } = store.get();
    if (!measured || measured.trace !== trace) return null;
    const swept = harm?.trace === trace ? harm.swept : {};
    return headRows(measured.statistics, swept).filter((row) => row.kind === kind);
  };
}

/** Heads that are not here cannot be measured here; out of a file they are. @param {Trace} trace */
function isLacking({ statistics, weights }) {
  return !statistics && Object.values(weights).some(({ arrived }) => arrived && !arrived.cell);
}
