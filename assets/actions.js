/** Everything a person can do. Each action changes the store; the views follow. */

import { KINDS, parseTrace } from "./trace.js";

/** @typedef {import("./trace.js").Kind} Kind */
/** @typedef {import("./trace.js").Trace} Trace */
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
 * @property {Partial<Record<Kind, {layer: number, head: number}>>} heads  enlarged, from 0
 * @property {{kind: Kind, query: number, key: number} | null} hover
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
      heads: chosenHeads(trace, store.get().heads),
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
    /** @param {State["hover"]} hover */
    point: (hover) => store.set({ hover }),
    /** @type {(kind: Kind, layer: number, head: number) => void} */
    chooseHead: (kind, layer, head) =>
      store.set({ heads: { ...store.get().heads, [kind]: { layer, head } }, hover: null }),
    /** @param {State["language"]} language */
    speak: (language) => store.set({ language }),
    /** @param {State["theme"]} theme */
    light: (theme) => store.set({ theme }),
  };
}

/** @type {Problem} */
const NO_ANSWER = { code: "no_answer", details: {} };

/**
 * The heads enlarged so far where the trace has them, else its last layer's first.
 *
 * @param {Trace} trace
 * @param {State["heads"]} heads
 */
function chosenHeads(trace, heads) {
  /** @type {State["heads"]} */
  const chosen = {};
  for (const kind of KINDS) {
    const weights = trace.weights[kind];
    if (!weights) continue;
    const { layer, head } = heads[kind] ?? { layer: weights.layers - 1, head: 0 };
    const there = layer < weights.layers && head < weights.heads;
    chosen[kind] = there ? { layer, head } : { layer: weights.layers - 1, head: 0 };
  }
  return chosen;
}
