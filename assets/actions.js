/** Everything a person can do. Each action changes the store; the views follow. */

import { keepLooking, lookingActions } from "./looking.js";
import { parseTrace } from "./trace.js";

/** @typedef {import("./trace.js").Kind} Kind */
/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {import("./head.js").Choice} Choice */
/** @typedef {{code: string, details: Record<string, string | number>}} Problem */
/** @typedef {{trace?: import("./trace.js").Payload, error?: Problem}} Answer */

/** @typedef {(request: {ask: string} & Record<string, unknown>) => Promise<Answer | undefined>} Ask */

/** @typedef {{name: string, title: Record<string, string>, examples: string[]}} Model */

/**
 * @typedef {object} State
 * @property {Model[]} models
 * @property {string} model  the one chosen for the next translation
 * @property {string} source  what stands in the box
 * @property {Problem | null} error
 * @property {boolean} busy
 * @property {Trace | null} trace  what is shown
 * @property {number} step  the decoder's row, from 0
 * @property {boolean} playing
 * @property {Partial<Record<Kind, Choice>>} heads  enlarged
 * @property {Partial<Record<Kind, Choice[]>>} pins  beside it, oldest first
 * @property {Partial<Record<Kind, number>>} zoom  1, unless set: the matrix fits its panel
 * @property {Partial<Record<Kind, boolean>>} tables  whether its numbers stand in a table
 * @property {Kind} kind  the panel that was used last; the one that a presenter shows
 * @property {boolean} presenter
 * @property {(Choice & {kind: Kind, query: number, key: number}) | null} hover  a cell
 * @property {{side: "source" | "target", index: number} | null} token  pointed at outside matrices
 * @property {import("./color.js").Look} look  how weights are coloured
 * @property {import("./i18n.js").Language} language
 * @property {import("./preferences.js").Theme} theme
 */

/** @typedef {ReturnType<typeof createActions>} Actions */

const PLAY_INTERVAL = 900;

/**
 * @param {import("./store.js").Store<State>} store
 * @param {Ask} ask
 *   the server; undefined when it could not be reached
 */
export function createActions(store, ask) {
  let requests = 0;
  let timer = 0;
  const lastStep = () => (store.get().trace?.tgt_out.length ?? 1) - 1;

  /** @param {string} name */
  function examplesOf(name) {
    return store.get().models.find((model) => model.name === name)?.examples ?? [];
  }

  /** @param {number} step */
  function goTo(step) {
    stop();
    store.set({ step: Math.min(lastStep(), Math.max(0, step)) });
  }

  function stop() {
    clearInterval(timer);
    store.set({ playing: false });
  }

  function play() {
    if (store.get().step === lastStep()) store.set({ step: 0 });
    store.set({ playing: true });
    timer = window.setInterval(() => {
      store.set({ step: store.get().step + 1 });
      if (store.get().step >= lastStep()) stop();
    }, PLAY_INTERVAL);
  }

  /**
   * Shows a trace from its end: the whole picture first, then step back through it.
   *
   * @param {Trace} trace
   */
  function show(trace) {
    stop();
    store.set({
      trace,
      step: trace.tgt_out.length - 1,
      hover: null,
      token: null,
      ...keepLooking(trace, store.get()),
    });
  }

  /** @param {string} source */
  async function translate(source) {
    const request = ++requests;
    const { model } = store.get();
    store.set({ source, busy: true, error: null });
    const answer = await ask({ ask: "trace", source, model }).catch(() => undefined);
    if (request !== requests) return; // a newer question has been asked meanwhile
    store.set({ busy: false, error: answer ? (answer.error ?? null) : NO_ANSWER });
    if (answer?.trace) show(parseTrace(answer.trace));
  }

  /**
   * An example of the last model makes way for one of the new; a sentence of one's own stays.
   *
   * @param {string} model
   */
  function chooseModel(model) {
    const { model: last, source } = store.get();
    const [example] = examplesOf(model);
    store.set({ model });
    translate(examplesOf(last).includes(source) && example ? example : source);
  }

  return {
    ...lookingActions(store),
    examplesOf,
    goTo,
    show,
    translate,
    chooseModel,
    first: () => goTo(0),
    previous: () => goTo(store.get().step - 1),
    next: () => goTo(store.get().step + 1),
    last: () => goTo(lastStep()),
    togglePlay: () => (store.get().playing ? stop() : play()),
    /** @param {string} source */
    edit: (source) => store.set({ source }),
    /** @param {State["language"]} language */
    speak: (language) => store.set({ language }),
    /** @param {State["theme"]} theme */
    light: (theme) => store.set({ theme }),
  };
}

/** @type {Problem} */
const NO_ANSWER = { code: "no_answer", details: {} };
