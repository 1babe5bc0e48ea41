/** Above a large matrix: which head it is, what the head does if that is known, and its pin. */

import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { icon } from "../../kit/icons.js";
import { isPinned } from "../../state/shown_heads.js";
import { headName, sameHead } from "../../trace/choice.js";
import { tellingHead } from "../../trace/trace.js";
import { changeControl } from "./change_control.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {() => Choice | undefined} choice  undefined: none is shown
 */
export function headTitleView(context, kind, choice) {
  const { store, actions, served, t } = context;
  const title = h("span", { class: "head-title" });
  const note = h("span", { class: "quiet" });
  const pin = h("button", { class: "bare small", click: togglePin }, icon("pin"));

  const change = served ? changeControl(context, kind, choice) : null;

  function togglePin() {
    const chosen = choice();
    if (chosen) actions.togglePin(kind, chosen);
  }

  return {
    element: h(
      "div",
      { class: "title" },
      h("div", {}, title),
      ...(change?.elements ?? []),
      pin,
      note,
    ),
    /** @param {Choice} chosen */
    showHead(chosen) {
      const { trace } = store.get();
      const telling = trace && tellingHead(trace, kind);
      const role = sameHead(telling?.choice, chosen) && telling?.role;
      const name = headTitle(t, chosen);
      const words = role ? `${t(`role.${role}`)} · ${name}` : name;
      title.replaceChildren(headName(chosen), h("span", { class: "head-words" }, words));
      title.title = words;
      change?.follow();
      note.textContent = Object.values(chosen).includes("max") ? t("head.not_a_sum") : "";
    },
    /** @param {Choice} chosen */
    showPin(chosen) {
      const pinned = isPinned(store.get(), kind, chosen);
      pin.ariaPressed = String(pinned);
      pin.ariaLabel = t(pinned ? "pin.off" : "pin.on", { head: headName(chosen) });
      pin.title = pin.ariaLabel;
    },
  };
}
