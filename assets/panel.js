/** One kind of attention: the chosen head large, and all heads small. */

import { h } from "./dom.js";
import { headTitle } from "./head.js";
import { headsView } from "./heads.js";
import { matrixView } from "./matrix.js";

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function panelView(context, kind) {
  const { t, watch } = context;
  const chosen = h("span", { class: "quiet" });
  watch(["heads"], ({ heads }) => {
    const choice = heads[kind];
    chosen.textContent = choice ? headTitle(t, choice) : "";
  });
  const id = `panel-${kind}`;
  const panel = h(
    "figure",
    { class: "panel", "aria-labelledby": id },
    h(
      "figcaption",
      {},
      h("div", { class: "title" }, h("h2", { id }, t(`${kind}.title`)), chosen),
      h("p", { class: "quiet" }, t(`${kind}.caption`)),
    ),
    matrixView(context, kind),
    headsView(context, kind),
  );
  // A decoder-only model has neither an encoder nor cross-attention.
  watch(["trace"], ({ trace }) => (panel.hidden = !trace?.weights[kind]));
  return panel;
}
