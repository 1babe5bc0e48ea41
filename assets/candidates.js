/** What the model nearly said instead, at the current step. */

import { h, tokenNode } from "./dom.js";

/** @param {import("./page.js").Context} context */
export function candidatesView({ t, watch }) {
  const list = h("ol", { class: "candidates", "aria-label": t("candidates") });
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  watch(["trace", "step"], ({ trace, step }) => {
    if (!trace) return;
    const candidates = trace.candidates[step];
    // The rows stay from step to step: making them anew would cost the layout of the whole page.
    if (rows.length !== candidates.length) {
      rows = candidates.map(row);
      list.replaceChildren(...rows.map(({ item }) => item));
    }
    for (const [i, { token, id, probability }] of candidates.entries()) {
      rows[i].item.classList.toggle("chosen", id === trace.tgt_ids[step]);
      rows[i].name.replaceChildren(tokenNode(token));
      rows[i].bar.style.setProperty("--share", String(probability));
      rows[i].number.textContent = probability.toFixed(2);
    }
  });
  return h("section", {}, h("h2", { class: "heading" }, t("candidates.heading")), list);
}

function row() {
  const name = h("span", { class: "name" });
  const bar = h("span", { class: "bar" });
  const number = h("span", { class: "number" });
  return { item: h("li", {}, name, bar, number), name, bar, number };
}
