/** What stands under the panels, in tabs that work only while they are seen. */

import { h } from "../../kit/dom.js";
import { makeTabs } from "../../kit/tabs.js";
import { whenSeen } from "../../kit/visibility.js";
import { TABS } from "../../state/state.js";

/** @typedef {import("../../state/actions.js").Context} Context */
/** @typedef {import("../../state/state.js").Tab} Tab */

/**
 * @param {Context} context
 * @param {Partial<Record<Tab, (context: Context) => HTMLElement>>} views  of the tabs that there are
 */
export function tabsView(context, views) {
  const { actions, store, t, watch } = context;
  const { lacking } = store.get();
  const shown = TABS.flatMap((name) => {
    const view = views[name];
    return view && !lacking.includes(name) ? [{ name, view }] : [];
  });
  const { list, panels, open } = makeTabs(
    t("tabs"),
    shown.map(({ name, view }) => ({
      name,
      label: t(`tab.${name}`),
      view: (panel) => view(whileSeen(context, panel)),
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
