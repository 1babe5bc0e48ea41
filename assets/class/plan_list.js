/** A lesson's plan beside the teacher's page: a list of addresses, the next one press away. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { chooseFile } from "../kit/files.js";
import { questionText } from "./texts.js";

/** @param {import("../state/in_class/class_actions.js").ClassContext} context */
export function planView({ store, classroom, t, watch }) {
  const next = chip(() => classroom.goToPlanned(store.get().classroom.planned));
  const open = chip(choose, t("class.plan"));
  const close = chip(() => classroom.openPlan(null), t("class.plan_away"));
  const items = h("ol", { "aria-label": t("class.plan_list") });
  const list = h("details", { class: "plan" }, h("summary", {}, t("class.plan_list")), items);

  function choose() {
    chooseFile([".md", ".txt"], async (file) => classroom.openPlan(await file.text()));
  }

  let drawn = "";
  watch(["classroom"], ({ classroom: { plan, planned, end } }) => {
    open.hidden = plan !== null;
    next.hidden = close.hidden = plan === null;
    list.hidden = plan === null || end !== null;
    const following = plan?.[planned];
    next.textContent = t("class.plan_next", { title: following?.title ?? "" });
    next.disabled = !following;
    const now = JSON.stringify([plan, planned]);
    if (now === drawn) return;
    drawn = now;
    items.replaceChildren(
      ...(plan ?? []).map(({ title, ask }, i) =>
        h(
          "li",
          { "aria-current": i === planned - 1 ? "step" : null },
          chip(
            () => classroom.goToPlanned(i),
            ask && ask.kind === "own" ? `${title}: ${questionText(t, ask)}` : title,
            ask && ask.kind !== "own" ? ` · ${t(`class.do.${ask.kind}`)}` : "",
          ),
        ),
      ),
    );
  });
  return { button: h("span", { class: "cluster acts" }, open, next, close), list };
}
