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
    const lacked = questions.flatMap((question) => {
      const why = state.trace?.guest && whyNot(question, state);
      return why ? [{ why, title: t(question.title) }] : [];
    });
    const reasons = [...new Set(lacked.map(({ why }) => why))];
    view.hidden = reasons.length === 0;
    list.replaceChildren(
      ...reasons.map((reason) => {
        const titles = lacked.flatMap(({ why, title }) => (why === reason ? [title] : []));
        return h("li", {}, t("guest.lacks", { questions: titles.join(" · "), why: t(reason) }));
      }),
    );
  });
  return view;
}
