/**
 * Everything that the page can show, as one value, and the value that it starts with.
 *
 * This room holds the store, its state, what a person can do to it, and the address that tells it.
 * Nothing in it makes elements; the views follow the store and call the actions.
 */

import { FRAMES } from "../trace/arithmetic.js";
import { NO_CLASS } from "./classroom/classroom.js";
import {
  startingColoring,
  startingGreeting,
  startingLanguage,
  startingTheme,
} from "./preferences.js";

/** @import { Kind } from "../trace/kinds.js" */
/** @import { Cell, Choice } from "../trace/choice.js" */
/** @import { Branch } from "../trace/tree.js" */
/** @import { Problem } from "./problem.js" */
/** @typedef {typeof PICTURES[number]} Picture */

/**
 * What may be lacking: a picture, a question, or another of `NEEDS_A_SERVER` in `transformer/site/answers.py`.
 *
 * @typedef {string} Lacking
 */

/** The tab below the words that is open at first. */
export const DEFAULT_TAB = "attention";

/** How attention is drawn. */
export const PICTURES = /** @type {const} */ (["matrix", "lines", "bertviz"]);

/** What can be learnt beside the page, and how many moments, stops, exercises and patients there are. */
export const LESSONS = { start: 4, tour: 14, exercise: 10, clinic: 6 };

/** @typedef {{part: keyof typeof LESSONS, at: number}} Lesson  counted from 0 */

/**
 * A bugged model of the clinic that is shown.
 *
 * @typedef {object} Patient
 * @property {number} at  which, from 0
 * @property {Question} question  what was asked of the healthy model
 * @property {import("../trace/trace.js").Trace} healthy  its answer, over whose tokens the patient is
 *   shown
 */

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {Record<string, string>} title
 * @property {Record<string, string>} [about]  what it is, in a sentence for each language
 * @property {Record<string, string>} [action]  what it does, if it does not translate
 * @property {string} [source_language]
 * @property {string} [target_language]
 * @property {number} [longest]  source in tokens, of all but one in a hundred that it learnt from
 * @property {boolean} [has_card]
 * @property {string[]} [offers]  what analyses may need of it; of a guest its card says what it lacks
 * @property {string[]} examples
 * @property {string[]} [language_codes]  of the languages that a source may ask for: ">>fra<<"
 * @property {unknown} [start]  its first minute: see `trace/first_minute.js`
 * @property {boolean} decoder_only  it continues a prompt, rather than translate a source
 * @property {boolean} [chosen]  whoever started the page has named it first
 * @property {{form: string, folder: boolean}} [guest]  of one of Hugging Face's: what it seems to be before it
 *   is loaded, and whether it lies in a folder
 */

/**
 * What the trunk of a tree answers.
 *
 * @typedef {object} Question
 * @property {string} model
 * @property {string} source
 * @property {import("../trace/trace.js").Sampling | null} sampling  null is greedy decoding
 * @property {string[]} interventions  changes to the model, in text form
 * @property {import("../trace/correction.js").Correction | null} taught  what the model learnt before
 * @property {OfGuest | null} [guest]  what guests alone are asked
 */

/**
 * Tokens hidden from an encoder, counted from 0; the language to write; that the source is a turn of a
 * chat; a second text, which an encoder reads with it.
 *
 * @typedef {{hidden?: number[], target_language?: string, chat?: true, second?: string}} OfGuest
 */

/**
 * A file of the person's own that is shown.
 *
 * @typedef {object} OpenedFile
 * @property {string} name
 * @property {Problem | null} reason  why nothing about it can be asked of the server; null if it can
 * @property {Partial<State>} before  what was shown before
 */

/**
 * A report of the person's own, shown in place of the picture.
 *
 * @typedef {object} OpenedReport
 * @property {string} name  of the file
 * @property {import("../trace/report.js").Report} report
 * @property {number} head  whose attention is drawn, of all that were recorded
 */

/** @typedef {{name: string, origin: string, size: number, license: string}} Here  a downloaded model */
/**
 * What the hub says of a model; of one that is fetched as it is also what it seems to be.
 *
 * @typedef {{size: number, license: string, family?: string, form?: string, parameters?: number}} Listing
 */

/**
 * @typedef {object} Download
 * @property {string} model  on the hub
 * @property {"asking" | "fetching" | "installing" | "measuring" | "done" | "failed"} stage
 * @property {number} received  bytes
 * @property {number} total  bytes; 0 until it is known
 * @property {string} name  of the installed model, once it is done
 * @property {Problem} [error]
 */

/** @typedef {{ahead: number, seconds: number} & Partial<Far>} Waiting  requests that are answered before */

/** @typedef {{stage: string, received?: number, total?: number}} Far  how far a guest is with its answer */

/**
 * @typedef {object} Downloads
 * @property {string[]} models  names on the hub, in the order of the list
 * @property {Here[]} here
 * @property {Record<string, Listing | Problem>} listings  by name on the hub
 * @property {Download | null} download  the one that runs, or the last
 * @property {boolean} [away]  the hub was out of reach when it was last asked
 */

/**
 * What of the large kind is drawn as lines between tokens.
 *
 * @typedef {object} LineSettings
 * @property {number | null} layer  null is that of the chosen head
 * @property {number[] | "all" | null} heads  that are drawn; null is the chosen head, and of a layer
 *   that was chosen by hand all
 * @property {number} threshold  smaller weights are not drawn
 */

/** @type {LineSettings} */
export const DEFAULT_LINES = { layer: null, heads: null, threshold: 0.1 };

/**
 * How all heads of a kind stand, where there are many.
 *
 * @typedef {object} Overview
 * @property {"layer" | "role" | "sharpness" | "harm"} order
 * @property {string[]} roles  that are looked for: heads of others are dimmed
 * @property {number | null} layer  whose heads are shown at reading size; null: all are shown, small
 */

/** @type {Overview} */
export const DEFAULT_OVERVIEW = { order: "layer", roles: [], layer: null };

/**
 * @typedef {object} State
 * @property {Model[]} models
 * @property {string} model  the one chosen for the next translation
 * @property {Downloads | null} downloads  null for who may not download
 * @property {string} source  what stands in the box
 * @property {Question["sampling"]} sampling  likewise
 * @property {import("../trace/tempered.js").Tempering | null} tempered  at what the candidates are looked
 *   at; null: as they were decoded
 * @property {string[]} interventions  likewise
 * @property {Question["taught"]} taught  likewise
 * @property {OfGuest | null} guest  likewise
 * @property {Problem | null} error  of the last translation
 * @property {string[]} ignored  parts of the address that mean nothing here
 * @property {number | null} beyond  the step that the address asks for, if there are not so many
 * @property {boolean} outdated  the address was made with other weights of the model
 * @property {boolean} busy
 * @property {Waiting | null} waiting  while many others are before us
 * @property {Question | null} question  what the tree answers; null also if nobody here could
 * @property {OpenedFile | null} file  where the trace comes from, if not from the server
 * @property {OpenedReport | null} report  null: the picture is shown
 * @property {Problem | null} refused  why the last file that was opened is not shown
 * @property {Branch[]} tree  the trunk first
 * @property {import("../trace/trace.js").Trace | null} trace  the branch of the tree that is shown
 * @property {import("../trace/trace.js").Trace | null} before  of a changed model's trace, the same
 *   decoded with nothing changed; null while it is on its way
 * @property {Branch | null} compared  marked against the one that is shown
 * @property {{model: string, source: string} | null} other  what the tab Compare sets beside it
 *   instead of a branch, greedily decoded
 * @property {{pair: number, from: number, to: number | null} | null} moments  what it shows
 *   instead of the trace: two steps of the model's training; null is the last
 * @property {boolean} branching
 * @property {Problem | null} problem  of the last branch
 * @property {number} step  the decoder's row, from 0
 * @property {boolean} playing
 * @property {number} speed  times the normal pace
 * @property {number} linger  so many times longer each step takes while it plays: more is to be followed
 * @property {Partial<Record<Kind, Choice>>} heads  enlarged
 * @property {number} arrivals  how often heads of a large trace have come: it changes whenever some do
 * @property {Overview} overview  of all heads, where there are many
 * @property {Partial<Record<Kind, Choice[]>>} pins  beside it, oldest first
 * @property {{kind: Kind, head: Choice} | null} letGo  for the last pin
 * @property {Partial<Record<Kind, number>>} zoom  1, unless set: the matrix fits its panel
 * @property {Partial<Record<Kind, boolean>>} tables  whether its numbers stand in a table
 * @property {Kind} kind  the large one; a presenter shows it alone
 * @property {boolean} presenter
 * @property {boolean} hiding  whether what comes after the current step is hidden
 * @property {Cell | null} hover
 * @property {{side: import("../trace/kinds.js").Side | "written", index: number} | null} token
 *   pointed at outside matrices; one that was written, by the row that wrote it
 * @property {string[]} tabs  that there are, in order
 * @property {string} tab  the open one
 * @property {boolean} apart  whether parts of the model are offered to be taken away
 * @property {string[]} unfolded  titles of what is folded at first, and open
 * @property {Picture} picture
 * @property {import("./pair.js").PairFilter} pair  of two sentences, whose attention is shown
 * @property {Lacking[]} lacking  what whoever answers here cannot do
 * @property {LineSettings} lines
 * @property {Lesson | null} lesson  the stop of the tour, the exercise or the patient; null: none
 * @property {boolean} greeting  whether the first minute is still to be offered
 * @property {number | null} guess  the source token that was chosen in it
 * @property {string[]} solved  "e1" is the first exercise, "c1" the first patient
 * @property {Patient | null} patient
 * @property {Cell | null} picked  the cell whose arithmetic is shown
 * @property {import("../trace/arithmetic.js").Frame} frame  how far it has come
 * @property {import("../draw/coloring.js").Coloring} coloring  how weights become colours
 * @property {number} askedAgain  times that what was refused was asked for again
 * @property {import("./classroom/classroom.js").Classroom} classroom
 * @property {import("../kit/i18n.js").Language} language
 * @property {import("../draw/color.js").Theme} theme
 */

/** What is shown where an address says nothing, and needs no saying. */
export const USUAL = {
  lines: DEFAULT_LINES,
  overview: DEFAULT_OVERVIEW,
  ...{
    tab: DEFAULT_TAB,
    apart: false,
    hiding: false,
    tables: {},
    unfolded: /** @type {string[]} */ ([]),
  },
  tempered: /** @type {import("../trace/tempered.js").Tempering | null} */ (null),
  ...{ compared: null, other: null, moments: null, frame: FRAMES[0] },
};

/**
 * @template {object} Given
 * @param {Given & Partial<State> & Pick<State, "models" | "model">} given
 * @returns {State & Given}  what a question is set to goes along
 */
export function firstState(given) {
  return {
    ...USUAL,
    tabs: [DEFAULT_TAB],
    downloads: null,
    source: "",
    sampling: null,
    interventions: [],
    taught: null,
    guest: null,
    error: null,
    ignored: [],
    beyond: null,
    outdated: false,
    busy: false,
    waiting: null,
    question: null,
    file: null,
    report: null,
    refused: null,
    tree: [],
    trace: null,
    before: null,
    branching: false,
    problem: null,
    step: 0,
    playing: false,
    ...{ speed: 1, linger: 1 },
    ...{ heads: {}, arrivals: 0 },
    ...{ pins: {}, letGo: null, zoom: {} },
    kind: "cross",
    presenter: false,
    hover: null,
    token: null,
    picture: PICTURES[0],
    pair: "all",
    lacking: [],
    ...{ lesson: null, solved: [], patient: null, picked: null },
    ...{ greeting: startingGreeting(), guess: null },
    coloring: startingColoring(),
    askedAgain: 0,
    classroom: NO_CLASS,
    language: startingLanguage(),
    theme: startingTheme(),
    ...given,
  };
}
