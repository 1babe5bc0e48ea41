/** What a guest cannot be asked, in one place: the questions by the reason that they share. */

import { h } from "../../kit/dom.js";
import { whyNot } from "../../parts/needs.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../parts/question.js").Question[]} questions
 */
export function lackingView({ t, watch }, questions) {
  const list = h("ul", { class: "quiet", "aria-label": t("guest.lacking") });
  const view = h("div", {}, list);
  watch(["trace", "lacking"], (state) => {
    /** @type {Map<string, string[]>} */
    const reasons = new Map();
    for (const question of state.trace?.guest ? questions : []) {
      const why = whyNot(question, state);
      if (why) reasons.set(why, [...(reasons.get(why) ?? []), t(question.title)]);
    }
    view.hidden = reasons.size === 0;
    list.replaceChildren(
      ...[...reasons].map(([why, titles]) =>
        h("li", {}, t("guest.lacks", { questions: titles.join(" · "), why: t(why) })),
      ),
    );
  });
  return view;
}
