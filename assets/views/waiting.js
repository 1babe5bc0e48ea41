/** What is waited for, in a sentence. */

import { bytesText } from "../kit/numbers.js";

/** @import { State } from "../state/state.js" */
/** @typedef {Pick<import("../state/actions.js").Context, "actions" | "t">} Context */

/**
 * Whether another's model is on its way into memory, or here, and its first picture with it.
 *
 * @param {Context} context
 * @param {State} state
 */
export function isComing({ actions }, { busy, model, trace }) {
  return busy && trace?.model !== model && Boolean(actions.modelOf(model)?.guest);
}

/**
 * @param {Context} context
 * @param {State} state
 */
export function waitingText(context, state) {
  const { waiting: place, model } = state;
  const waits = isComing(context, state) ? "loading" : "computing";
  const stage = place?.ahead ? "computing" : place?.stage || waits;
  const [received, total] = [place?.received, place?.total].map((it) => bytesText(it ?? 0));
  if (stage !== "computing") return context.t(`guest.${stage}`, { model, received, total });
  return place?.ahead ? context.t("waiting", place) : "";
}
