/** What stands under the words, in tabs that work only while they are seen. */

import { h } from "../kit/dom.js";
import { makeTabs } from "../kit/tabs.js";
import { later } from "../parts/later.js";
import { suits } from "../parts/needs.js";
import { whileOpen, whileSeen, whileTrue } from "../parts/seen.js";
import { DEFAULT_TAB } from "../state/state.js";
import { attentionView } from "./attention/attention.js";
import { questionsView } from "./questions.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Question } from "../parts/question.js" */

/**
 * @param {Context} context
 * @param {Question[]} questions
 */
export function tabsView(context, questions) {
  const { store, actions, t, watch } = context;
  const { tabs } = store.get();
  const { list, panels, open } = makeTabs(
    t("tabs"),
    tabs.map((name) => ({
      name,
      label: t(`tab.${name}`),
      view(panel) {
        const own = questions.filter(({ tab }) => tab === name);
        // A presenter's first tab lies open without a box of its own, which could be seen.
        if (name === DEFAULT_TAB) return attentionView(whileOpen(context, name), own);
        return questionsView(asking(whileSeen(context, panel)), own);
      },
    })),
    actions.openTab,
  );
  watch(["tab"], ({ tab }) => open(tab));
  watch(["trace", "tab"], (state) => {
    const { trace, tab } = state;
    for (const [i, name] of tabs.entries()) {
      const suited = suits(name, questions, state);
      /** @type {HTMLElement} */ (list.children[i]).hidden = name !== tab && !suited;
      panels[i].classList.toggle("unasked", !suited);
    }
    // No model stands behind weights that somebody recorded elsewhere: what asks one is not offered.
    const alone = trace?.origin?.by === "given";
    list.hidden = tabs.length < 2 || alone; // the first in a saved trace
  });
  const lacking = h("div", { class: "lacking-all", hidden: true });
  watch(["trace"], ({ trace }) => {
    lacking.hidden = !trace?.guest;
    if (!trace?.guest || lacking.childElementCount) return;
    const bring = () => import("./guest/lacking.js");
    lacking.append(later(bring, ({ lackingView }) => lackingView(context, questions)));
  });
  return h("section", { class: "details", "aria-label": t("tabs") }, list, ...panels, lacking);
}

/**
 * For a tab that asks a model: none stands behind weights that somebody recorded elsewhere, and while
 * these are shown the tab keeps what it had.
 *
 * @param {Context} context
 */
function asking(context) {
  return whileTrue(context, ({ trace }) => trace?.origin?.by !== "given");
}
