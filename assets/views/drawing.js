/** A page in the chosen theme and language; in another language, or to ask again, it is drawn anew. */

import { languageTag, textsIn } from "../kit/i18n.js";
import { writeNumbersIn } from "../kit/numbers.js";

/** @import { Context } from "../state/actions.js" */

/**
 * Its state is in the store, so nothing is lost when it is drawn anew.
 *
 * @param {HTMLElement} element  where the page goes
 * @param {import("../state/store.js").Store<import("../state/state.js").State>} store
 * @param {(drawing: Pick<Context, "t" | "watch">) => HTMLElement} make  the page, for one language
 */
export function drawIn(element, store, make) {
  /** @type {AbortController | undefined} */
  let drawn;
  store.watch(["theme"], ({ theme }) => {
    element.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
    document.body.classList.toggle("dark", theme === "dark");
  });
  let drawnIn = "";
  store.watch(["language", "askedAgain"], ({ language }) => {
    document.documentElement.lang = languageTag(language);
    writeNumbersIn(document.documentElement.lang);
    const chosen = drawn !== undefined && language !== drawnIn;
    drawnIn = language;
    drawn?.abort();
    drawn = new AbortController();
    const { signal } = drawn;
    const t = textsIn(language);
    element.replaceChildren(make({ t, watch: (keys, run) => store.watch(keys, run, signal) }));
    /** @type {HTMLElement | null} */
    const chooser = element.querySelector("#language");
    if (chosen) chooser?.focus();
  });
  element.classList.add("headlight");
  document.body.classList.add("has-headlight");
}
