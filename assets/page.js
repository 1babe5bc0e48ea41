/** The page, from top to bottom. Views make their elements once and then follow the store. */

import { classButton } from "./class/class_button.js";
import { h } from "./kit/dom.js";
import { explainTerms } from "./kit/terms.js";
import { onceWanted } from "./parts/later.js";
import { parametersOf, tabsOf, usualOf } from "./parts/question.js";
import { createActions } from "./state/actions.js";
import { addressOf, followAddress, openAddress } from "./state/address/address.js";
import { classActions } from "./state/in_class/class_actions.js";
import { asking } from "./state/server/about.js";
import { answering } from "./state/server/ask.js";
import { firstState } from "./state/state.js";
import { createStore } from "./state/store.js";
import { walkOf } from "./trace/kinds.js";
import { parseTrace } from "./trace/trace.js";
import { drawIn } from "./views/drawing.js";
import { headerView } from "./views/header.js";
import { listenToKeys } from "./views/keyboard.js";
import { presenterView } from "./views/presenter.js";
import { staleNote } from "./views/stale.js";
import { stepsView } from "./views/steps.js";
import { listenToSwipes } from "./views/swipe.js";
import { tabsView } from "./views/tabs.js";
import { TERMS } from "./views/terms.js";
import { givenView } from "./views/translation.js";
import { wordsView } from "./views/words.js";

/** @import { ClassContext } from "./state/in_class/class_actions.js" */
/** @import { Answer, Request } from "./state/server/ask.js" */
/** @import { Rooms } from "./state/server/rooms.js" */
/** @import { State } from "./state/state.js" */

/** @typedef {Pick<State, "models" | "model"> & Partial<Pick<State, "lacking">>} Installed */
/** @typedef {Answer & Installed} FirstPage */
/** @typedef {(request: Request, signal?: AbortSignal) => Promise<Answer | undefined>} Send */

/**
 * What asks a server: `send`, the views that need its answers, and the rooms of classes, if it has any.
 *
 * @typedef {{send: Send, views: typeof import("./served.js").SERVED, rooms?: Rooms}} Server
 */

/** Tokens from which on the matrix needs the room that shorter texts leave the beam. */
const LONG = 48;

const inviteView = onceWanted(
  ["classroom"],
  ({ classroom }) => classroom.inviting,
  async () => (await import("./class/invite.js")).inviteView,
);

/**
 * @param {ClassContext} context
 * @param {Server["views"] | undefined} served
 */
function pageView(context, served) {
  // Before the matrices: what stands above them says how much room they have.
  const source = served ? served.sourceView(context) : givenView(context);
  const stage = h(
    "main",
    { class: "stage" },
    stepsView(context),
    wordsView(context, served?.startView),
    tabsView(context, served?.questions ?? []),
  );
  listenToSwipes(stage, context.actions);
  context.watch(["trace", "report"], ({ trace, report }) => {
    stage.hidden = trace === null || report !== null;
    stage.classList.toggle("long-text", trace !== null && walkOf(trace).length > LONG);
  });
  const page = h(
    "div",
    { class: "page" },
    presenterView(context, served?.questions ?? [], classButton(context)),
    headerView(context),
    source,
    served ? served.comingView(context) : null,
    staleNote(context),
    served ? served.fileView(context) : null,
    served ? served.reportView(context) : null,
    stage,
    served ? served.lessonsView(context) : null,
    inviteView(context),
    served ? served.classView(context) : null,
  );
  context.watch(["source", "trace", "question", "busy"], ({ source, trace, question, busy }) => {
    const read = (question ?? trace)?.source; // of a pair, a trace has both
    page.classList.toggle("typing", !busy && read !== undefined && source.trim() !== read.trim());
  });
  context.watch(["hiding"], ({ hiding }) => page.classList.toggle("hiding", hiding));
  explainTerms(page, TERMS, (name) => context.t(`term.${name}`));
  return page;
}

/**
 * @param {HTMLElement} element  where the page goes
 * @param {FirstPage} first
 * @param {Server | null} server  null without one, in a saved trace
 */
export async function openPage(element, first, server) {
  const { models, lacking = [], error = null } = first;
  const model = first.model ?? "";
  const trace = first.trace ? parseTrace(first.trace) : null;
  const questions = server?.views.questions ?? [];
  const parameters = parametersOf(questions);
  const store = createStore(
    firstState({
      ...usualOf(questions),
      ...{ models, model, lacking, error, source: trace?.source ?? "", tabs: tabsOf(questions) },
    }),
  );
  const served = server !== null;
  const ask = answering(server?.send ?? (async () => undefined));
  const actions = createActions(store, ask, parameters);
  const asker = asking(store, ask);
  const rooms = server?.rooms ?? null;
  const classroom = classActions(store, actions, parameters, rooms, asker.traceOf);
  const link = () => addressOf(store.get(), parameters);
  const context = { store, actions, classroom, served, link, ...asker };
  if (trace) {
    const { sampling = null, interventions = [], source } = trace;
    actions.begin({ model, source, sampling, interventions, taught: null }, trace);
  }

  drawIn(element, store, (drawing) => pageView({ ...context, ...drawing }, server?.views));
  listenToKeys(store, actions, questions, served);
  server?.views.listenToDrops(element, actions.openFile);
  if (served && models.length) {
    await openAddress(store, actions.open, parameters);
    followAddress(store, actions.open, parameters);
    classroom.arrive();
  }
  element.dataset.ready = "";
  // After the large matrix, and after its small heads, which wait until they are seen.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => setTimeout(() => (element.dataset.ready = "painted"))),
  );
  if (served) actions.askOffers();
  return actions;
}
