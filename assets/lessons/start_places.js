/** Where the first minute takes place: as a model's card tells, or in a guest's own text. */

import { placesOf, readStart } from "../trace/first_minute.js";

/**
 * @param {Pick<import("../state/actions.js").Context, "store" | "actions" | "watch">} context
 * @param {() => void} changed  once a guest's text was looked through
 */
export function startPlaces({ store, actions, watch }, changed) {
  /** @type {ReturnType<typeof import("./start_of_guest.js").guestStart> | null} */
  let guest = null;
  watch(["trace"], async ({ trace }) => {
    if (!trace?.guest) return;
    const { guestStart } = await import("./start_of_guest.js");
    guest ??= guestStart(store);
    if (guest.look()) changed();
  });

  const started = () =>
    guest?.here()?.start ?? readStart(actions.modelOf(store.get().model)?.start);
  return {
    started,
    /** Whether what is shown has none, rather than none yet. */
    isNowhere: () => !started() && (!store.get().trace?.guest || guest?.hasLooked()),
    places() {
      const [start, here, { trace }] = [started(), guest?.here(), store.get()];
      if (here) return here.start.source === trace?.source ? here.places : null;
      return start && trace && placesOf(start, trace);
    },
    /** An encoder writes nothing that steering could turn. */
    steers: () => store.get().trace?.tgt_in.length !== 0,
  };
}
