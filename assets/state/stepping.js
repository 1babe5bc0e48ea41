/** Walking through the steps of what is shown, by hand or at a pace. */

import { walkOf } from "../trace/kinds.js";

/** @import { State } from "./state.js" */

/** How many times the normal pace. */
export const SPEEDS = [0.5, 1, 2, 4];

/** Between two steps at the normal pace, in milliseconds. */
const PACE = 900;

/**
 * How long a step takes while it plays, in milliseconds.
 *
 * @param {Pick<State, "speed" | "linger">} state
 */
export function paceOf({ speed, linger }) {
  return (PACE * linger) / speed;
}

/** @param {import("./store.js").Store<State>} store */
export function steppingActions(store) {
  let timer = 0;
  const lastStep = () => {
    const { trace } = store.get();
    return trace ? walkOf(trace).length - 1 : 0;
  };

  /** @param {number} step  of those outside, the nearest that there is */
  function goTo(step) {
    stop();
    store.set({ step: Math.min(lastStep(), Math.max(0, step)), beyond: null });
  }

  function stop() {
    clearTimeout(timer);
    store.set({ playing: false });
  }

  function play() {
    if (store.get().step === lastStep()) store.set({ step: 0 });
    store.set({ playing: true });
    tick();
  }

  function tick() {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      store.set({ step: store.get().step + 1 });
      if (store.get().step >= lastStep()) stop();
      else tick();
    }, paceOf(store.get()));
  }

  return {
    goTo,
    stop,
    first: () => goTo(0),
    previous: () => goTo(store.get().step - 1),
    next: () => goTo(store.get().step + 1),
    last: () => goTo(lastStep()),
    togglePlay: () => (store.get().playing ? stop() : play()),
    /** @param {number} linger */
    lingerFor(linger) {
      store.set({ linger });
      if (store.get().playing) tick();
    },
    /** @param {number} speed  one of SPEEDS */
    setSpeed(speed) {
      store.set({ speed });
      if (store.get().playing) tick();
    },
  };
}
