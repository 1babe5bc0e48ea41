/** What the model nearly said instead, at the current step. */

import { h, tokenNode } from "./dom.js";

/** @param {import("./page.js").Context} context */
export function candidatesView({ t, watch }) {
  const list = h("ol", { class: "candidates", "aria-label": t("candidates") });
  watch(["trace", "step"], ({ trace, step }) => {
    if (!trace) return;
    list.replaceChildren(
      ...trace.candidates[step].map(({ token, id, probability }) =>
        h(
          "li",
          { class: id === trace.tgt_ids[step] ? "chosen" : null },
          tokenNode(token),
          h("span", { class: "bar", style: `--share: ${probability}` }),
          h("span", { class: "number" }, probability.toFixed(2)),
        ),
      ),
    );
  });
  return h("section", {}, h("h2", { class: "heading" }, t("candidates.heading")), list);
}
