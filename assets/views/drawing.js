/** A page in the chosen theme and language; in another language it is drawn anew. */

import { LANGUAGES, translator } from "../kit/i18n.js";
import { writeNumbersIn } from "../kit/numbers.js";

/** @typedef {import("../state/actions.js").Context} Context */
/** @typedef {import("../state/store.js").Store<import("../state/state.js").State>} Store */

/**
 * Its state is in the store, so nothing is lost when it is drawn anew.
 *
 * @param {HTMLElement} element  where the page goes
 * @param {Store} store
 * @param {Record<string, Record<string, string>>} locales  each language's texts
 * @param {(drawing: Pick<Context, "t" | "watch">) => HTMLElement} make  the page, for one language
 */
export function drawIn(element, store, locales, make) {
  /** @type {AbortController | undefined} */
  let drawn;
  store.watch(["theme"], ({ theme }) => {
    element.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
    document.body.classList.toggle("dark", theme === "dark");
  });
  store.watch(["language"], ({ language }) => {
    const known = LANGUAGES.find(({ code }) => code === language);
    document.documentElement.lang = known?.tag ?? language;
    writeNumbersIn(document.documentElement.lang);
    const again = drawn !== undefined;
    drawn?.abort();
    drawn = new AbortController();
    const { signal } = drawn;
    const t = translator(locales[language]);
    element.replaceChildren(make({ t, watch: (keys, run) => store.watch(keys, run, signal) }));
    /** @type {HTMLElement | null} */
    const chosen = element.querySelector(`button[lang="${language}"]`);
    if (again) chosen?.focus();
  });
  element.classList.add("headlight");
  document.body.classList.add("has-headlight");
}
