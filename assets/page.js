/** The page, from top to bottom. Views make their elements once and then follow the store. */

import { bertvizView } from "./bertviz.js";
import { candidatesView } from "./candidates.js";
import { h } from "./dom.js";
import { traceMenu } from "./export.js";
import { headerView } from "./header.js";
import { legendView } from "./legend.js";
import { linesView } from "./lines.js";
import { panelsView } from "./panel.js";
import { presenterView } from "./presenter.js";
import { givenView, sourceView } from "./source.js";
import { stepsView } from "./steps.js";
import { tabsView } from "./tabs.js";
import { tokensView } from "./tokens.js";
import { workedOutView } from "./worked_out.js";

/**
 * What every view is given. `watch` is the store's, for as long as this drawing of the page lasts.
 *
 * @typedef {object} Context
 * @property {import("./store.js").Store<import("./actions.js").State>} store
 * @property {import("./actions.js").Actions} actions
 * @property {import("./actions.js").Ask | null} ask
 *   the server; null in a saved trace, which shows nothing that needs one
 * @property {import("./i18n.js").Translate} t
 * @property {(keys: (keyof import("./actions.js").State)[], run: (state: import("./actions.js").State) => void) => void} watch
 */

/** @param {Context} context */
export function pageView(context) {
  const stage = h(
    "main",
    { class: "stage" },
    stepsView(context),
    h("div", { class: "reading" }, tokensView(context), candidatesView(context)),
    h("div", { class: "above-panels" }, legendView(context), traceMenu(context)),
    panelsView(context),
    tabsView(context, [
      { name: "lines", view: linesView },
      ...(context.ask
        ? [
            { name: "worked_out", view: workedOutView },
            { name: "bertviz", view: bertvizView },
          ]
        : []),
    ]),
  );
  context.watch(["trace"], ({ trace }) => (stage.hidden = trace === null));
  return h(
    "div",
    { class: "page" },
    presenterView(context),
    headerView(context),
    context.ask ? sourceView(context) : givenView(context),
    stage,
  );
}
