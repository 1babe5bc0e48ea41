/** The page, from top to bottom. Views make their elements once and then follow the store. */

import { h } from "./kit/dom.js";
import { foldButton } from "./kit/fold.js";
import { LANGUAGES, translator } from "./kit/i18n.js";
import { explainTerms } from "./kit/terms.js";
import { lessonsView } from "./lessons/panel.js";
import { createActions } from "./state/actions.js";
import { followAddress, openAddress } from "./state/address.js";
import { analysing } from "./state/analyses.js";
import { answering } from "./state/server.js";
import { firstState } from "./state/state.js";
import { createStore } from "./state/store.js";
import { parseTrace } from "./trace/trace.js";
import { aboutView } from "./views/about.js";
import { candidatesView } from "./views/candidates.js";
import { listenToDrops } from "./views/dropping.js";
import { traceMenu } from "./views/export/menus.js";
import { fileView } from "./views/file.js";
import { headerView } from "./views/header.js";
import { listenToKeys } from "./views/keyboard.js";
import { kindsView } from "./views/kinds.js";
import { legendView } from "./views/legend.js";
import { panelsView } from "./views/panel/panel.js";
import { presenterView } from "./views/presenter.js";
import { reportView } from "./views/report.js";
import { givenView, sourceView, translationView } from "./views/source.js";
import { staleNote } from "./views/stale.js";
import { stepsView } from "./views/steps.js";
import { bertvizView } from "./views/tabs/bertviz.js";
import { compareView } from "./views/tabs/compare/compare.js";
import { headsView } from "./views/tabs/heads/heads.js";
import { layersView } from "./views/tabs/layers/layers.js";
import { linesView } from "./views/tabs/lines/lines.js";
import { modelView } from "./views/tabs/model/model.js";
import { tabsView } from "./views/tabs/tabs.js";
import { trainingView } from "./views/tabs/training/training.js";
import { wordsView } from "./views/tabs/words/words.js";
import { workedOutView } from "./views/tabs/worked_out.js";
import { TERMS } from "./views/terms.js";
import { tokensView } from "./views/tokens.js";

/** @typedef {import("./state/actions.js").Context} Context */
/** @typedef {import("./state/server.js").Answer} Answer */
/** @typedef {import("./state/server.js").Request} Request */
/** @typedef {import("./state/state.js").State} State */

/** @typedef {Pick<State, "models" | "model"> & Partial<Pick<State, "lacking">>} Installed */
/** @typedef {Answer & Installed} FirstPage */
/** @typedef {(request: Request, signal?: AbortSignal) => Promise<Answer | undefined>} Send */

/** @param {Context} context */
function pageView(context) {
  const { t } = context;
  const candidates = candidatesView(context);
  const list = /** @type {HTMLElement} */ (candidates.querySelector("ol"));
  const more = foldButton(list, { more: t("candidates.more"), less: t("less") });
  // Before the matrices: what stands above them says how much room they have.
  const source = context.ask ? sourceView(context) : givenView(context);
  const stage = h(
    "main",
    { class: "stage" },
    stepsView(context),
    h(
      "div",
      { class: "board" },
      tokensView(context),
      translationView(context),
      h("div", { class: "above-panels" }, kindsView(context), traceMenu(context)),
      h("div", { class: "guesses" }, candidates, more),
      panelsView(context),
      context.ask ? workedOutView(context) : null,
      legendView(context),
    ),
    tabsView(context, {
      model: modelView,
      lines: linesView,
      heads: headsView,
      words: wordsView,
      layers: layersView,
      training: trainingView,
      compare: compareView,
      bertviz: bertvizView,
    }),
  );
  context.watch(["trace", "report"], ({ trace, report }) => {
    stage.hidden = trace === null || report !== null;
  });
  const page = h(
    "div",
    { class: "page" },
    presenterView(context),
    headerView(context),
    source,
    aboutView(context),
    staleNote(context),
    context.ask ? fileView(context) : null,
    context.ask ? reportView(context) : null,
    stage,
    context.ask ? lessonsView(context) : null,
  );
  context.watch(["hiding"], ({ hiding }) => page.classList.toggle("hiding", hiding));
  explainTerms(page, TERMS, (name) => context.t(`term.${name}`));
  return page;
}

/**
 * @param {HTMLElement} element  where the page goes
 * @param {FirstPage} first
 * @param {Send | null} send  to the server; null without one, in a saved trace
 * @param {Record<string, Record<string, string>>} locales  each language's texts
 */
export async function openPage(element, first, send, locales) {
  const { models, model, lacking = [], error = null } = first;
  const trace = first.trace ? parseTrace(first.trace) : null;
  const store = createStore(
    firstState({ models, model, lacking, error, source: trace?.source ?? "" }),
  );
  const ask = send && answering(send);
  const nobody = answering(async () => undefined);
  const actions = createActions(store, ask ?? nobody);
  const analyse = analysing(store, ask ?? nobody);
  if (trace) {
    const { sampling = null, interventions = [], source } = trace;
    actions.begin({ model, source, sampling, interventions }, trace);
  }

  store.watch(["theme"], ({ theme }) => {
    element.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
    document.body.classList.toggle("dark", theme === "dark");
  });
  store.watch(["language"], ({ language }) => {
    const known = LANGUAGES.find(({ code }) => code === language);
    document.documentElement.lang = known?.tag ?? language;
    drawPage(element, language, { store, actions, ask, analyse, t: translator(locales[language]) });
  });
  listenToKeys(store, actions, ask !== null);
  if (ask) listenToDrops(element, actions.openFile);
  element.classList.add("headlight");
  document.body.classList.add("has-headlight");
  if (ask && models.length) {
    await openAddress(store, actions);
    followAddress(store, actions);
  }
  element.dataset.ready = "";
  if (ask) actions.askOffers();
}

/** @type {AbortController | undefined} */
let drawn;

/**
 * The page is drawn anew in another language: its state is in the store, so nothing is lost.
 *
 * @param {HTMLElement} element
 * @param {string} language
 * @param {Omit<Context, "watch">} context
 */
function drawPage(element, language, { t, ...context }) {
  const again = drawn !== undefined;
  drawn?.abort();
  drawn = new AbortController();
  const { signal } = drawn;
  element.replaceChildren(
    pageView({
      ...context,
      t,
      watch: (keys, run) => context.store.watch(keys, run, signal),
    }),
  );
  /** @type {HTMLElement | null} */
  const chosen = element.querySelector(`button[lang="${language}"]`);
  if (again) chosen?.focus();
}
