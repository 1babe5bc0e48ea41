/** The viewer's door: Gradio calls `mount` once, with the page's first state and a way to ask. */

import { createActions } from "./actions.js";
import { fileAddress } from "./files.js";
import { loadLocales, translator } from "./i18n.js";
import { listenToKeys } from "./keyboard.js";
import { LINES } from "./lines.js";
import { followLink, openLink } from "./link.js";
import { pageView } from "./page.js";
import { remember, startingLanguage, startingLook, startingTheme } from "./preferences.js";
import { createStore } from "./store.js";
import { parseTrace } from "./trace.js";

/** @typedef {import("./actions.js").Answer} Answer */
/** @typedef {import("./actions.js").State} State */

const STYLES = [
  "theme.css",
  "page.css",
  "reading.css",
  "panel.css",
  "details.css",
  "presenter.css",
];

/** @type {import("./actions.js").Ask} */
const NOBODY = async () => undefined;

/**
 * @param {HTMLElement} element  where the page goes
 * @param {Answer & {models: State["models"], model: string}} page
 * @param {import("./actions.js").Ask | null} ask  null without a server, in a saved trace
 */
export async function mount(element, page, ask) {
  const [locales] = await Promise.all([loadLocales(), ...STYLES.map(loadStyle)]);
  const trace = page.trace ? parseTrace(page.trace) : null;
  const store = createStore(
    /** @type {State} */ ({
      models: page.models,
      model: page.model,
      source: trace ? trace.source : "",
      sampling: null,
      error: page.error ?? null,
      ignored: [],
      busy: false,
      question: null,
      tree: [],
      trace: null,
      compared: null,
      branching: false,
      problem: null,
      step: 0,
      playing: false,
      speed: 1,
      shading: "head",
      heads: {},
      pins: {},
      zoom: {},
      tables: {},
      kind: "cross",
      presenter: false,
      hover: null,
      token: null,
      tab: "lines",
      lines: LINES,
      picked: null,
      look: startingLook(),
      language: startingLanguage(),
      theme: startingTheme(),
    }),
  );
  const actions = createActions(store, ask ?? NOBODY);
  if (trace) {
    const { sampling = null, source } = trace;
    actions.begin({ model: page.model, source, sampling }, trace);
  }

  store.watch(["theme"], ({ theme }) => {
    element.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
    document.body.classList.toggle("dark", theme === "dark");
  });
  store.watch(["language"], ({ language }) => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    drawPage(element, language, { store, actions, ask, t: translator(locales[language]) });
  });
  store.watch(["theme", "language", "look"], remember);
  listenToKeys(store, actions);
  element.classList.add("headlight");
  document.body.classList.add("has-headlight");
  if (ask && page.models.length) {
    await openLink(store, actions);
    followLink(store, actions);
  }
  element.dataset.ready = "";
}

/** @type {AbortController | undefined} */
let drawn;

/**
 * The page is drawn anew in another language: its state is in the store, so nothing is lost.
 *
 * @param {HTMLElement} element
 * @param {string} language
 * @param {Omit<import("./page.js").Context, "watch">} context
 */
function drawPage(element, language, { store, actions, ask, t }) {
  const again = drawn !== undefined;
  drawn?.abort();
  drawn = new AbortController();
  const { signal } = drawn;
  element.replaceChildren(
    pageView({ store, actions, ask, t, watch: (keys, run) => store.watch(keys, run, signal) }),
  );
  /** @type {HTMLElement | null} */
  const chosen = element.querySelector(`button[lang="${language}"]`);
  if (again) chosen?.focus();
}

/**
 * @param {string} name
 * @returns {Promise<unknown>}
 */
function loadStyle(name) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = fileAddress(name);
    link.onload = resolve;
    link.onerror = reject;
    document.head.append(link);
  });
}
