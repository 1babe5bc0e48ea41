/** Which lesson a person is at, and what the page shows there. */

import { readAll } from "./address/parameter.js";
import { rememberChoice } from "./preferences.js";
import { LESSONS } from "./state.js";

/**
 * Whether a source word that is chosen is a guess.
 *
 * @param {Pick<import("./state.js").State, "lesson">} state
 */
export function isGuessing({ lesson }) {
  return lesson?.part === "start" && lesson.at === 0;
}

/**
 * @param {import("./store.js").Store<import("./state.js").State>} store
 * @param {(question: import("./state.js").Question) => void} open
 * @param {import("./address/parameter.js").Parameter<any>[]} parameters  of an address
 */
export function touringActions(store, open, parameters) {
  /** @type {import("./state.js").Question | null} */
  let lent = null;

  /** The first minute is not offered again. */
  function greeted() {
    rememberChoice("greeted", "yes");
    store.set({ greeting: false });
  }

  /** @param {import("./state.js").Lesson | null} lesson  null ends it */
  function goToLesson(lesson) {
    const within = lesson && lesson.at >= 0 && lesson.at < LESSONS[lesson.part];
    const { patient } = store.get();
    store.set(within ? { lesson, report: null } : { lesson: null, hiding: false });
    if (lesson?.part === "start" && store.get().greeting) greeted();
    if (store.get().lesson?.part === "clinic") return;
    const back = lent ?? patient?.question;
    lent = null;
    if (back) open(back);
  }

  return {
    goToLesson,
    /**
     * What a visitor had on the page when the clinic needed it for its own model: it is given back.
     *
     * @param {import("./state.js").Question} question
     */
    lend(question) {
      lent ??= question;
    },
    greeted,
    /** @param {number} guess  the source token that the visitor takes for what matters */
    guess(guess) {
      store.set({ guess });
      goToLesson({ part: "start", at: 1 });
    },
    /** @param {string} name  of an exercise or a patient, such as "e1" */
    solve(name) {
      const { solved } = store.get();
      if (!solved.includes(name)) store.set({ solved: [...solved, name] });
    },
    /**
     * Shows what an address says of looking; the sentence and its translation stay.
     *
     * @param {string} address
     */
    look(address) {
      const search = new URLSearchParams(address);
      const own = parameters.filter(({ name, cleared }) => search.has(name) || cleared);
      store.set(readAll(store.get(), own, search).patch);
    },
  };
}
