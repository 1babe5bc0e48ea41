/** What is waited for, in a sentence. */

import { bytesText } from "../kit/numbers.js";

/** @import { State } from "../state/state.js" */
/** @typedef {Pick<import("../state/actions.js").Context, "actions" | "t">} Context */

/**
 * Whether the page has nothing to show until another's model is in memory, or here.
 *
 * @param {Context} context
 * @param {State} state
 */
export function isComing(context, state) {
  return state.trace === null && state.report === null && loads(context, state);
}

/** @type {(context: Context, state: State) => boolean} */
function loads({ actions }, { busy, model, trace }) {
  return busy && trace?.model !== model && Boolean(actions.modelOf(model)?.guest);
}

/**
 * @param {Context} context
 * @param {State} state
 */
export function waitingText(context, state) {
  const { waiting: place, model } = state;
  const waits = loads(context, state) ? "loading" : "computing";
  const stage = place?.ahead ? "computing" : place?.stage || waits;
  const [received, total] = [place?.received, place?.total].map((it) => bytesText(it ?? 0));
  if (stage !== "computing") return context.t(`guest.${stage}`, { model, received, total });
  return place?.ahead ? context.t("waiting", place) : "";
}
