/** Another sentence, or the same one in another model: asked for in a small form, decoded once. */

import { h } from "../../kit/dom.js";
import { formView } from "../../kit/form.js";
import { inLanguage } from "../../kit/i18n.js";
import { awaiting } from "../../parts/awaited.js";

/** @typedef {NonNullable<import("../../state/state.js").State["other"]>} Other */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {() => void} arrived
 */
export function otherForm({ store, actions, traceOf, t, watch }, arrived) {
  const { models, language } = store.get();
  /** @type {{other: Other, trace: import("../../trace/trace.js").Trace} | null} */
  let answer = null;
  const { problem, show, rest, failed } = awaiting(t, {
    problem: h("span", { role: "alert" }),
    clear: arrived,
  });
  const model = h(
    "select",
    { "aria-label": t("model") },
    ...models.map(({ name, title }) =>
      h("option", { value: name }, inLanguage(title, language) ?? name),
    ),
  );
  const source = h("input", { type: "text", "aria-label": t("source.label"), autocomplete: "off" });
  const form = formView(
    { class: "field" },
    () => actions.compareWithOther({ model: model.value, source: source.value }),
    model,
    source,
    h("button", { type: "submit", class: "chip" }, t("change.compare")),
    problem,
  );

  watch(["other", "question"], ({ other, question }) => {
    model.value = other?.model ?? question?.model ?? "";
    source.value = other?.source ?? question?.source ?? "";
    if (!other) return rest();
    show(traceOf({ ...other, sampling: null, interventions: [], taught: null }), (trace) => {
      answer = { other, trace };
      arrived();
    });
  });
  return {
    form,
    failed,
    /** @param {Other} other */
    traceOf: (other) => (answer?.other === other ? answer.trace : null),
  };
}
