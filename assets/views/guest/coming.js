/** Where the first picture will be, until a guest is here: what is waited for, how far it is, and a way out. */

import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { isComing, waitingText } from "../waiting.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {boolean} isAsked  whether the page has shown something already
 */
export function comingView(context, isAsked) {
  const { actions, t, watch } = context;
  const title = h("p", { class: "title", role: "status" });
  const bar = h("progress", { max: 1 });
  const kind = h("p", { class: "quiet" });
  const element = h(
    "section",
    { class: "coming" },
    title,
    bar,
    kind,
    chip(actions.cancel, t("more.cancel")),
  );

  watch(["waiting", "busy", "trace", "model", "report"], (state) => {
    const { waiting, model, trace, report } = state;
    // Until the page is ready, nobody sees what was made with it.
    const isShown = element.isConnected ? element.closest("[data-ready]") !== null : isAsked;
    const isEmpty = report === null && (trace === null || !isShown);
    element.hidden = !isEmpty || !isComing(context, state);
    if (element.hidden) return;
    const text = waitingText(context, state) || t("guest.loading", { model });
    if (title.textContent !== text) title.textContent = text;
    bar.ariaLabel = text;
    const { received = 0, total = 0 } = waiting ?? {};
    if (waiting?.stage === "fetching" && total) bar.value = received / total;
    else bar.removeAttribute("value");
    const form = actions.modelOf(model)?.guest?.form ?? "encoder";
    kind.textContent = `${t(`guest.form.${form}`)} · ${t(`guest.asked.${form}`)}`;
  });
  return element;
}
