/** Keeping what was taught as a checkpoint, which the owner of the machine may. */

import { h } from "../../../kit/dom.js";
import { formView } from "../../../kit/form.js";
import { problemText } from "../../../state/problem.js";

/** @param {import("../settings.js").Context} context */
export function keepForm({ actions, t, watch }) {
  const name = h("input", { type: "text", id: "teach-name", autocomplete: "off" });
  const status = h("p", { role: "status", "aria-label": t("teach.keep") });
  const save = h("button", { type: "submit", class: "named kept" }, t("teach.keep"));
  const element = formView(
    { class: "field" },
    keep,
    h("label", { for: "teach-name" }, t("teach.keep_name")),
    name,
    save,
    status,
  );

  async function keep() {
    const chosen = name.value.trim();
    save.disabled = true;
    status.textContent = t("teach.keeping");
    const problem = await actions.keepTaught(chosen);
    save.disabled = false;
    status.textContent = problem ? problemText(t, problem) : t("teach.kept", { name: chosen });
  }

  let shown = "";
  // Who may download may keep: the person at the machine.
  watch(["downloads", "trace", "training"], ({ downloads, question, training }) => {
    const { model = "", taught = null } = question ?? {};
    element.hidden = taught === null || downloads === null || training.attempt !== null;
    const of = JSON.stringify([model, taught]);
    if (of === shown) return;
    shown = of;
    name.value = `${model}-taught`;
    status.textContent = "";
  });
  return element;
}
