/** What stands under the panels, in tabs that work only while they are seen. */

import { h } from "../../kit/dom.js";
import { makeTabs } from "../../kit/tabs.js";
import { whenSeen } from "../../kit/visibility.js";
import { TABS } from "../../state/state.js";

/** @typedef {import("../../state/actions.js").Context} Context */
/** @typedef {import("../../state/state.js").Tab} Tab */

/** @type {Tab[]}  those that ask the server for what they show */
const ASKING = ["model", "heads", "words", "layers", "training", "compare", "bertviz"];

/**
 * @param {Context} context
 * @param {Record<Tab, (context: Context) => HTMLElement>} views
 */
export function tabsView(context, views) {
  const { actions, ask, store, t, watch } = context;
  const { lacking } = store.get();
  const shown = TABS.filter((name) => (ask || !ASKING.includes(name)) && !lacking.includes(name));
  const { list, panels, open } = makeTabs(
    t("tabs"),
    shown.map((name) => ({
      name,
      label: t(`tab.${name}`),
      view: (panel) => views[name](whileSeen(context, panel)),
    })),
    (name) => actions.openTab(/** @type {Tab} */ (name)),
  );
  watch(["tab"], ({ tab }) => open(tab));
  return h("section", { class: "details", "aria-label": t("tabs") }, list, ...panels);
}

/**
 * A context whose `watch` waits for its element to be seen, and then runs what has changed.
 *
 * @param {Context} context
 * @param {Element} element
 * @returns {Context}
 */
function whileSeen(context, element) {
  const run = whenSeen(element);
  return {
    ...context,
    watch(keys, follow) {
      const now = () => follow(context.store.get());
      context.watch(keys, () => run(now));
    },
  };
}
