/** A word that is hidden from an encoder, which guesses it: by the menu, or the Delete key. */

import { wordsAt } from "../../trace/steering.js";
import { wordsIn } from "../../trace/whole_words.js";

/** @param {import("../../state/actions.js").Context} context */
export function hidingWords(context) {
  const { store, served, t } = context;

  /** @param {number} index */
  function can(index) {
    const { trace, question } = store.get();
    const word = trace?.words?.src?.[index] ?? null;
    return served && question !== null && Boolean(trace?.guest?.masks) && word !== null;
  }

  /** @param {number} index */
  async function toggle(index) {
    const { trace } = store.get();
    const own = trace && wordsIn(trace, trace.src, "src").pieces.find((it) => it.includes(index));
    const { toggleHidden } = await import("../../state/guests.js");
    if (own) await toggleHidden(context, own);
  }

  return {
    can,
    toggle,
    /** @param {number} index */
    item(index) {
      const { src = [], hidden = [], words } = store.get().trace ?? {};
      const shown = hidden.every(({ at }) => at !== index);
      const word = wordsAt(src, [index], words?.src);
      const label = t(shown ? "guest.hide" : "guest.show", { word });
      return { label, run: () => toggle(index) };
    },
  };
}
