/** Above a large matrix: which head it is, what the head does if that is known, and its pin. */

import { headTitle, shownName } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { icon } from "../../kit/icons.js";
import { explainedBy } from "../../kit/terms.js";
import { inARow } from "../../kit/typeset.js";
import { isPinned } from "../../state/shown_heads.js";
import { effectOn, targetOf } from "../../trace/changes.js";
import { sameHead } from "../../trace/choice.js";
import { openingAt, representativeHead } from "../../trace/trace.js";
import { changeControl } from "./change_control.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {() => Choice | undefined} choice  undefined: none is shown
 */
export function headTitleView(context, kind, choice) {
  const { store, actions, served, t } = context;
  const title = h("span", { class: "cut head-title" });
  const note = h("span", { class: "quiet" });
  const pin = h("button", { class: "bare small", click: togglePin }, icon("pin"));

  const change = served ? changeControl(context, kind, choice) : null;

  function togglePin() {
    const chosen = choice();
    if (chosen) actions.togglePin(kind, chosen);
  }

  /**
   * The reason for a head: at which word it looks, which the eye takes for the one to be written.
   *
   * @param {import("../../trace/trace.js").Opening} opening
   * @param {Choice} choice
   */
  function whyHere({ row, meets, other }, { head }) {
    const which = row === "reads" ? "reads" : "predicts";
    const [own, others] = [meets, other].map((share) => Math.round(100 * share));
    const why = t(`opening.${which}.why`, { own, others });
    const whole = inARow([why, head === "mean" ? t("opening.mean") : ""]);
    return explainedBy(whole, t(`opening.${which}`));
  }

  const parts = [...(change?.elements ?? []), pin, note];
  const element = h("div", { class: "title" }, h("div", {}, title), ...parts);
  return {
    element,
    /** @param {Choice} chosen */
    showHead(chosen) {
      const { trace, patient } = store.get();
      // It was measured on the model as it was trained: of a head that was changed nobody knows, and of
      // a patient nothing may be told.
      const target = targetOf(kind, chosen);
      const plain = patient || effectOn(trace?.interventions ?? [], target) ? null : trace;
      const representative = plain && representativeHead(plain, kind);
      const own = sameHead(representative?.choice, chosen) ? representative : null;
      const opening = plain && openingAt(plain, kind, chosen);
      const reads = (opening ?? own)?.row === "reads";
      element.classList.toggle("by-reads", reads);
      const name = headTitle(t, chosen);
      const does = [own?.role ? t(`role.${own.role}`) : "", reads ? t("opening.reads") : ""];
      const words = [...does, name].filter(Boolean).join(" · ");
      title.replaceChildren(
        shownName(t, chosen),
        h(
          "span",
          { class: "head-words" },
          ...(opening ? [whyHere(opening, chosen), ` · ${name}`] : [words]),
        ),
      );
      title.title = opening ? "" : words;
      change?.follow();
      note.textContent = Object.values(chosen).includes("max") ? t("head.not_a_sum") : "";
    },
    /** @param {Choice} chosen */
    showPin(chosen) {
      pin.hidden = !isPinned(store.get(), kind, chosen);
      pin.ariaLabel = pin.title = t("pin.off", { head: shownName(t, chosen) });
    },
  };
}
