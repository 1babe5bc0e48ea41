/** Which heads a person chooses, and keeps beside one another. */

import { sameHead } from "../trace/choice.js";
import { isPinned, MAX_PINS, shownHeads } from "./shown_heads.js";

/** @import { Choice } from "../trace/choice.js" */
/** @import { Kind } from "../trace/kinds.js" */

/** @param {import("./store.js").Store<import("./state.js").State>} store */
export function headActions(store) {
  /** @type {(kind: Kind, choice: Choice) => void} */
  function chooseHead(kind, choice) {
    // What is worked out is the same cell of the head that is looked at.
    const { picked } = store.get();
    if (picked?.kind === kind) store.set({ picked: { ...picked, ...choice } });
    store.set({ heads: { ...store.get().heads, [kind]: choice }, hover: null, letGo: null });
  }

  /**
   * Keeps a head beside those that are shown, which are kept too; a fifth lets go of the oldest.
   *
   * @type {(kind: Kind, choice: Choice) => void}
   */
  function pin(kind, choice) {
    const all = [
      ...shownHeads(store.get(), kind).filter((head) => !sameHead(head, choice)),
      choice,
    ];
    const gone = all.slice(0, -MAX_PINS);
    store.set({ pins: { ...store.get().pins, [kind]: all.slice(-MAX_PINS) } });
    chooseHead(kind, choice);
    store.set({ letGo: gone.length ? { kind, head: gone[0] } : null });
  }

  /** @type {(kind: Kind, choice: Choice) => void} */
  function unpin(kind, choice) {
    const { pins, heads } = store.get();
    const left = (pins[kind] ?? []).filter((head) => !sameHead(head, choice));
    store.set({ pins: { ...pins, [kind]: left }, hover: null, letGo: null });
    const last = left.at(-1);
    if (last && sameHead(heads[kind], choice)) chooseHead(kind, last);
  }

  /** @param {Kind} kind */
  function chooseKind(kind) {
    const { picked } = store.get();
    const own = picked?.kind === kind ? picked : null;
    store.set({ kind, hover: null, picked: own });
  }
  return {
    chooseHead,
    chooseKind,
    /**
     * Makes it the large one.
     *
     * @type {(kind: Kind, choice: Choice) => void}
     */
    enlarge(kind, choice) {
      chooseKind(kind);
      chooseHead(kind, choice);
    },
    /** @type {(kind: Kind, choice: Choice) => void} */
    togglePin: (kind, choice) => (isPinned(store.get(), kind, choice) ? unpin : pin)(kind, choice),
  };
}
