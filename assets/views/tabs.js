/** What stands under the words, in tabs that work only while they are seen. */

import { h } from "../kit/dom.js";
import { makeTabs } from "../kit/tabs.js";
import { whileOpen, whileSeen } from "../parts/seen.js";
import { DEFAULT_TAB, TABS } from "../state/state.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Tab } from "../state/state.js" */

/**
 * @param {Context} context
 * @param {Partial<Record<Tab, (context: Context) => HTMLElement>>} views  of the tabs that there are
 */
export function tabsView(context, views) {
  const { actions, t, watch } = context;
  const shown = TABS.flatMap((name) => {
    const view = views[name];
    return view ? [{ name, view }] : [];
  });
  const { list, panels, open } = makeTabs(
    t("tabs"),
    shown.map(({ name, view }) => ({
      name,
      label: t(`tab.${name}`),
      // A presenter's first tab lies open without a box of its own, which could be seen.
      view: (panel) =>
        view(name === DEFAULT_TAB ? whileOpen(context, name) : asking(whileSeen(context, panel))),
    })),
    (name) => actions.openTab(/** @type {Tab} */ (name)),
  );
  watch(["tab"], ({ tab }) => open(tab));
  watch(["trace"], ({ trace }) => {
    // No model stands behind weights that somebody recorded elsewhere: what asks one is not offered.
    const alone = trace?.origin?.by === "given";
    list.hidden = shown.length < 2 || alone; // the first in a saved trace
  });
  return h("section", { class: "details", "aria-label": t("tabs") }, list, ...panels);
}

/**
 * For a tab that asks a model: none stands behind weights that somebody recorded elsewhere, and while
 * these are shown the tab keeps what it had.
 *
 * @param {Context} context
 * @returns {Context}
 */
function asking(context) {
  return {
    ...context,
    watch(keys, follow) {
      context.watch(keys, (state) => {
        if (state.trace?.origin?.by !== "given") follow(state);
      });
    },
  };
}
