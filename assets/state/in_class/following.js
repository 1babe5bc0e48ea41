/** Following: a class's address is one more source of addresses, and nobody is pulled along. */

/** @import { State } from "../state.js" */
/** @import { Classroom } from "../classroom/classroom.js" */
/** @typedef {import("../store.js").Store<State>} Store */

/**
 * @param {Store} store
 * @param {import("../address/address.js").Open} open
 * @param {import("../address/followed.js").Followed} followed
 * @param {(patch: Partial<Classroom>) => void} set
 * @param {(address: string) => Promise<unknown>} publish  shows the class what a teacher's page shows
 */
export function following(store, open, followed, set, publish) {
  /** What this page showed when it last showed what the class does. @type {string | null} */
  let together = null;
  let number = 0;
  let showing = false;
  /** What the class has not been shown yet. @type {string | null} */
  let wanted = null;
  let publishing = false;
  const classroom = () => store.get().classroom;

  /** Shows what the class is shown, and what has come meanwhile. */
  async function show() {
    if (showing) return;
    showing = true;
    try {
      for (let { view } = classroom(); view && view.number !== number; { view } = classroom()) {
        const { lesson } = store.get();
        const shown = await followed.show(store, open, view.address);
        // A lesson's stop that opens brings its own way of looking along.
        const now = store.get().lesson;
        if (shown && (now?.part !== lesson?.part || now?.at !== lesson?.at))
          await followed.show(store, open, view.address);
        number = view.number;
      }
    } finally {
      showing = false;
    }
    together = followed.addressOf(store.get());
    look(store.get());
  }

  /** @param {State} state */
  function look(state) {
    const { role, end, view, alone } = state.classroom;
    if (showing || end) return;
    if (role === "teacher") offer(state);
    if (role !== "student" || !view) return;
    const typing = state.question !== null && state.source.trim() !== state.question.source.trim();
    const elsewhere = typing || followed.addressOf(state) !== together || view.number !== number;
    if (elsewhere !== alone) set({ alone: elsewhere });
  }

  /** @param {State} state  of a teacher's page */
  function offer(state) {
    const address = state.trace && !state.busy ? followed.addressOf(state) : null;
    if (!address || address === together) return;
    together = wanted = address;
    if (!publishing) post();
  }

  async function post() {
    publishing = true;
    while (wanted) {
      const address = wanted;
      wanted = null;
      await publish(address);
    }
    publishing = false;
  }

  store.watch(followed.keys, look);

  return {
    show,
    /** Begins anew: another class. */
    begin() {
      together = null;
      number = 0;
      look(store.get());
    },
    /** @param {import("../classroom/classroom.js").View} view  that has come, of somebody else */
    come(view) {
      if (view.number === number || showing) return;
      // Who looks around alone is told of it, and stays.
      if (classroom().role === "teacher" || !classroom().alone) show();
    },
    /** @param {number} seen  the view that this page itself has shown the class */
    own(seen) {
      number = seen;
    },
  };
}
