/** Everything a person can do. Each action changes the store; the views follow. */

import { decodingActions } from "./decoding.js";
import { lookingActions } from "./looking.js";
import { walkingActions } from "./walking.js";

/** @typedef {import("./trace.js").Kind} Kind */
/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./head.js").Choice} Choice */
/** @typedef {{code: string, details: Record<string, string | number>}} Problem */
/** @typedef {{trace?: import("./trace.js").Payload, file?: string, bertviz?: string, worked_out?: import("./worked_out.js").Payload, error?: Problem}} Answer */

/** @typedef {(request: {ask: string} & Record<string, unknown>) => Promise<Answer | undefined>} Ask */

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {Record<string, string>} title
 * @property {string[]} examples
 * @property {boolean} decoder_only  it continues a prompt, rather than translate a source
 */

/**
 * @typedef {object} State
 * @property {Model[]} models
 * @property {string} model  the one chosen for the next translation
 * @property {string} source  what stands in the box
 * @property {import("./decoding.js").Sampling | null} sampling  likewise; null is greedy decoding
 * @property {Problem | null} error  of the last translation
 * @property {string[]} ignored  parts of the address that mean nothing here
 * @property {boolean} busy
 * @property {import("./decoding.js").Question | null} question  what the tree answers
 * @property {import("./tree.js").Line[]} tree  the trunk first
 * @property {Trace | null} trace  the line of the tree that is shown
 * @property {import("./tree.js").Line | null} compared  marked against the line that is shown
 * @property {boolean} branching
 * @property {Problem | null} problem  of the last branch
 * @property {number} step  the decoder's row, from 0
 * @property {boolean} playing
 * @property {number} speed  times the normal pace
 * @property {import("./tokens.js").Shading} shading  whose reading of the source is shown
 * @property {Partial<Record<Kind, Choice>>} heads  enlarged
 * @property {Partial<Record<Kind, Choice[]>>} pins  beside it, oldest first
 * @property {Partial<Record<Kind, number>>} zoom  1, unless set: the matrix fits its panel
 * @property {Partial<Record<Kind, boolean>>} tables  whether its numbers stand in a table
 * @property {Kind} kind  the panel that was used last; the one that a presenter shows
 * @property {boolean} presenter
 * @property {import("./trace.js").Cell | null} hover
 * @property {{side: "source" | "target", index: number} | null} token  pointed at outside matrices
 * @property {string} tab  the open one
 * @property {import("./lines.js").Lines} lines  what the bipartite view draws
 * @property {import("./trace.js").Cell | null} picked  the cell whose arithmetic is shown
 * @property {import("./color.js").Look} look  how weights are coloured
 * @property {import("./i18n.js").Language} language
 * @property {import("./preferences.js").Theme} theme
 */

/** @typedef {ReturnType<typeof createActions>} Actions */

/**
 * @param {import("./store.js").Store<State>} store
 * @param {Ask} ask
 *   the server; undefined when it could not be reached
 */
export function createActions(store, ask) {
  const walking = walkingActions(store);
  return {
    ...walking,
    ...decodingActions(store, ask, walking.stop),
    ...lookingActions(store),
    /** @param {State["shading"]} shading */
    shade: (shading) => store.set({ shading }),
    /** @param {State["language"]} language */
    speak: (language) => store.set({ language }),
    /** @param {State["theme"]} theme */
    light: (theme) => store.set({ theme }),
  };
}
