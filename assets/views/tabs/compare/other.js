/** Another sentence, or the same one in another model: asked for in a small form, decoded once. */

import { h } from "../../../kit/dom.js";
import { problemText } from "../../../state/server.js";
import { parseTrace } from "../../../trace/trace.js";

/** @typedef {import("../../../trace/trace.js").Trace} Trace */
/** @typedef {NonNullable<import("../../../state/state.js").State["other"]>} Other */

/**
 * @param {import("../../../state/actions.js").Context} context
 * @param {() => void} arrived
 */
export function otherForm({ store, actions, ask, t, watch }, arrived) {
  const { models, language } = store.get();
  /** @type {Map<string, Trace | null>} */
  const known = new Map(); // null while it is on its way
  const problem = h("span", { role: "alert" });
  const model = h(
    "select",
    { "aria-label": t("model") },
    ...models.map(({ name, title }) => h("option", { value: name }, title[language] ?? name)),
  );
  const source = h("input", { type: "text", "aria-label": t("source.label"), autocomplete: "off" });
  const form = h(
    "form",
    {
      class: "field",
      /** @param {SubmitEvent} event */
      submit(event) {
        event.preventDefault();
        actions.compareWithOther({ model: model.value, source: source.value });
      },
    },
    ...[
      model,
      source,
      h("button", { type: "submit", class: "chip" }, t("change.compare")),
      problem,
    ],
  );

  /** @param {Other} other */
  async function fetchOther(other) {
    const key = JSON.stringify(other);
    known.set(key, null);
    problem.textContent = "";
    const request = { ask: "trace", ...other, sampling: null, interventions: [], prefix: [] };
    const { trace, error } = (await ask?.(request)) ?? {};
    if (trace) known.set(key, parseTrace(trace));
    else {
      known.delete(key);
      problem.textContent = problemText(t, error);
    }
    if (trace) arrived();
  }

  watch(["other", "question"], ({ other, question }) => {
    model.value = other?.model ?? question?.model ?? "";
    source.value = other?.source ?? question?.source ?? "";
    if (other && !known.has(JSON.stringify(other))) fetchOther(other);
  });
  return {
    form,
    /** @param {Other} other */
    traceOf: (other) => known.get(JSON.stringify(other)) ?? null,
  };
}
