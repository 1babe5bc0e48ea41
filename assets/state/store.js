/** All state in one place: read it with `get`, change it with `set`, follow it with `watch`. */

/**
 * @template {object} State
 * @typedef {object} Store
 * @property {() => State} get
 * @property {(patch: Partial<State>) => void} set  replaces these keys, then tells their watchers
 * @property {(keys: (keyof State)[], run: (state: State) => void, signal?: AbortSignal) => void} watch
 *   runs now, and again whenever one of these keys has another value, until the signal aborts
 */

/**
 * Whether inputs are others than the last time that it was asked; asked of none, it forgets them.
 *
 * @returns {(...inputs: unknown[]) => boolean}
 */
export function haveChanged() {
  /** @type {unknown[]} */
  let last = [];
  return (...inputs) => {
    const before = last;
    last = inputs;
    return inputs.length !== before.length || inputs.some((input, i) => input !== before[i]);
  };
}

/**
 * @template {object} State
 * @param {State} state
 * @returns {Store<State>}
 */
export function createStore(state) {
  /** @type {Set<{keys: (keyof State)[], run: (state: State) => void}>} */
  const watchers = new Set();
  return {
    get: () => state,
    set(patch) {
      const before = state;
      state = { ...state, ...patch };
      for (const { keys, run } of [...watchers]) {
        if (keys.some((key) => state[key] !== before[key])) run(state);
      }
    },
    watch(keys, run, signal) {
      const watcher = { keys, run };
      watchers.add(watcher);
      signal?.addEventListener("abort", () => watchers.delete(watcher));
      run(state);
    },
  };
}
