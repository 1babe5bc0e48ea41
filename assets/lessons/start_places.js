/** Where the first minute takes place: as a model's card tells, else in the text that is shown. */

import { placesOf, readStart } from "../trace/first_minute.js";

/**
 * @param {Pick<import("../state/actions.js").Context, "store" | "actions" | "watch">} context
 * @param {() => void} changed  once a text was looked through
 */
export function startPlaces({ store, actions, watch }, changed) {
  /** @type {ReturnType<typeof import("./start_in_text.js").textStart> | null} */
  let text = null;
  const ownStart = () => readStart(actions.modelOf(store.get().model)?.start);
  watch(["trace"], async ({ trace }) => {
    if (!trace || ownStart()) return;
    const { textStart } = await import("./start_in_text.js");
    text ??= textStart(store);
    if (text.look()) changed();
  });

  const started = () => ownStart() ?? text?.here()?.start;
  return {
    started,
    /** Whether what is shown has none, rather than none yet. */
    isNowhere: () => !started() && text?.hasLooked(),
    places() {
      const [start, here, { trace }] = [ownStart(), text?.here(), store.get()];
      if (start) return trace && placesOf(start, trace);
      return here && here.start.source === trace?.source ? here.places : null;
    },
    /** An encoder writes nothing that steering could turn. */
    steers: () => store.get().trace?.tgt_in.length !== 0,
  };
}
