/** Everything a person can do. Each action changes the store; the views follow. */

import { loadTexts } from "../kit/i18n.js";
import { changingActions } from "./changing.js";
import { decodingActions } from "./decoding.js";
import { lookingActions } from "./looking.js";
import { rememberChoice } from "./preferences.js";
import { NO_ANSWER } from "./problem.js";
import { arrivingActions } from "./server/arriving.js";
import { downloadActions } from "./server/downloads.js";
import { steppingActions } from "./stepping.js";
import { teachingActions } from "./teaching.js";
import { touringActions } from "./touring.js";

/** @import { State } from "./state.js" */
/** @import { Ask } from "./server/ask.js" */
/** @import { Asking } from "./server/about.js" */
/** @typedef {import("./store.js").Store<State>} Store */
/** @typedef {ReturnType<typeof createActions>} Actions */

/**
 * What every view is given. `watch` is the store's, for as long as this drawing of the page lasts.
 *
 * @template {object} [Own={}]  what the view's question is set to, by the state's key
 * @typedef {object} Context
 * @property {import("./store.js").Store<State & Own>} store
 * @property {Omit<Actions, "adjust"> & {adjust: Adjust<State & Own>}} actions
 * @property {boolean} served  false in a saved trace, which shows nothing that needs a server
 * @property {() => string} link  the address of what is shown
 * @property {Asking["about"]} about
 * @property {Asking["cardOf"]} cardOf
 * @property {Asking["traceOf"]} traceOf
 * @property {Asking["historyOf"]} historyOf
 * @property {Asking["runOf"]} runOf
 * @property {Asking["noise"]} noise
 * @property {import("../kit/i18n.js").Translate} t
 * @property {(keys: (keyof (State & Own))[], run: (state: State & Own) => void) => void} watch
 */

/**
 * @template {object} Whole  the state
 * @typedef {<Part extends keyof Whole>(part: Part, change: Partial<Whole[Part]>) => void} Adjust
 */

/**
 * @param {Store} store
 * @param {Ask} ask
 * @param {import("./address/parameter.js").Parameter<any>[]} [parameters]  of an address
 */
export function createActions(store, ask, parameters = []) {
  const stepping = steppingActions(store);
  const decoding = decodingActions(store, ask, stepping.stop);
  return {
    ...stepping,
    ...decoding,
    ...changingActions(store, decoding.changeModel),
    ...arrivingActions(store, ask),
    ...downloadActions(store, ask, decoding.chooseModel),
    ...lookingActions(store),
    ...teachingActions(store, ask, decoding.open),
    ...touringActions(store, decoding.open, parameters),
    /** @param {State["language"]} language */
    async chooseLanguage(language) {
      try {
        await loadTexts(language);
        rememberChoice("language", language);
        store.set({ language });
      } catch {
        store.set({ error: NO_ANSWER });
      }
    },
    /** @param {State["theme"]} theme */
    chooseTheme(theme) {
      rememberChoice("theme", theme);
      store.set({ theme });
    },
  };
}
