/** Where the first minute takes place: as a model's card tells, or in a guest's own text. */

import { placesOf, readStart } from "../trace/first_minute.js";

/** @import { Places, Start } from "../trace/first_minute.js" */
/** @import { Trace } from "../trace/trace.js" */

/**
 * @param {Pick<import("../state/actions.js").Context, "store" | "actions" | "watch">} context
 * @param {() => void} changed  once a guest's text was looked through
 */
export function startPlaces({ store, actions, watch }, changed) {
  /** Of a guest, before anything was steered. @type {{model: string, start: Start, places: Places} | null} */
  let found = null;
  /** @type {Trace | null} */
  let looked = null;

  const ofGuest = () => (found && found.model === store.get().model ? found : null);

  watch(["trace"], async ({ trace }) => {
    if (!trace?.guest) return;
    const same = found?.model === trace.model && found.start.source === trace.source;
    if (same || trace.interventions?.length) return;
    const { startIn } = await import("./start_of_guest.js");
    if (store.get().trace !== trace) return;
    looked = trace;
    const here = startIn(trace);
    found = here && { model: trace.model, ...here };
    changed();
  });

  const started = () => ofGuest()?.start ?? readStart(actions.modelOf(store.get().model)?.start);
  return {
    started,
    /** Whether what is shown has none, rather than none yet. */
    isNowhere() {
      const { trace } = store.get();
      return !started() && (!trace?.guest || looked === trace);
    },
    places() {
      const [start, guest, { trace }] = [started(), ofGuest(), store.get()];
      if (guest) return guest.start.source === trace?.source ? guest.places : null;
      return start && trace && placesOf(start, trace);
    },
    /** An encoder writes nothing that steering could turn. */
    steers: () => store.get().trace?.tgt_in.length !== 0,
  };
}
