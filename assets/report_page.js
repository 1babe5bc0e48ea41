/** The door of a report that is a file of its own: the view that the page has of it, and no more. */

import { h } from "./kit/dom.js";
import { fileAddress } from "./kit/files.js";
import { LANGUAGES, loadTexts } from "./kit/i18n.js";
import { createActions } from "./state/actions.js";
import { asking } from "./state/server/about.js";
import { answering } from "./state/server/ask.js";
import { firstState } from "./state/state.js";
import { createStore } from "./state/store.js";
import { readReport } from "./trace/report.js";
import { drawIn } from "./views/drawing.js";
import { reportView } from "./views/report.js";
import { languageMenu, themeButton } from "./views/settings.js";

/** @import { Context } from "./state/actions.js" */

/** @param {Context} context */
function pageView(context) {
  const { t } = context;
  const mark = h("img", { src: fileAddress("favicon.svg"), alt: "", width: 28, height: 28 });
  const settings = h(
    "div",
    { class: "abreast settings" },
    languageMenu(context),
    themeButton(context),
  );
  const header = h("header", {}, h("h1", { class: "tagline" }, mark, t("name")), settings);
  return h("div", { class: "page" }, header, reportView(context));
}

/**
 * @param {HTMLElement} element  where the page goes
 * @param {import("./trace/fields.js").Values} values  as `Report.to_dict` makes them
 */
export async function mountReport(element, values) {
  const report = readReport(values);
  const store = createStore(firstState({ models: [], model: "" }));
  const own = LANGUAGES.find(({ code }) => code === report.language);
  store.set({ report: { name: "", report, head: 0 }, ...(own && { language: own.code }) });
  await loadTexts(store.get().language);
  const ask = answering(async () => undefined);
  const fixed = {
    store,
    actions: createActions(store, ask),
    served: false,
    link: () => location.href,
    ...asking(store, ask),
  };
  drawIn(element, store, (drawing) => pageView({ ...fixed, ...drawing }));
  element.dataset.ready = "painted";
}
