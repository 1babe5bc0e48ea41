/** A question of the teacher's own, with up to five answers. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { formView } from "../kit/form.js";
import { MOST_ANSWERS } from "../state/classroom/plan.js";

/** @param {import("../state/in_class/class_actions.js").ClassContext} context */
export function ownQuestionForm({ classroom, t }) {
  const text = h("input", { id: "class-own", maxlength: 300, autocomplete: "off" });
  const answers = Array.from({ length: MOST_ANSWERS }, (_, i) =>
    h("input", {
      maxlength: 120,
      autocomplete: "off",
      "aria-label": t("class.answer_at", { number: i + 1 }),
      placeholder: t("class.answer_at", { number: i + 1 }),
    }),
  );
  const send = h("button", { class: "chip", type: "submit" }, t("class.ask_it"));
  const lacking = h("p", { role: "alert", class: "problem" });
  const form = formView(
    { class: "cluster own-question", hidden: true },
    act,
    h("label", { for: text.id }, t("class.own")),
    text,
    ...answers,
    send,
    lacking,
  );

  function act() {
    const options = answers.map(({ value }) => value.trim()).filter(Boolean);
    const whole = text.value.trim() && options.length > 1;
    lacking.textContent = whole ? "" : t("class.own_lacks");
    if (whole) classroom.ask({ kind: "own", text: text.value.trim(), options });
  }

  const button = chip(() => {
    form.hidden = !form.hidden;
    if (!form.hidden) text.focus();
  }, t("class.do.own"));
  return { button, form };
}
