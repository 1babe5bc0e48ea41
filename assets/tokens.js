/** The source, shaded by what the current step reads of it, and the target so far. */

import { inkOn, weightColor } from "./color.js";
import { h, tokenNode } from "./dom.js";
import { headTitle } from "./head.js";
import { headWeights } from "./trace.js";

/** @param {import("./page.js").Context} context */
export function tokensView({ actions, t, watch }) {
  const source = h("ol", { class: "track", "aria-label": t("tokens.source") });
  const target = h("ol", { class: "track", "aria-label": t("tokens.target") });
  const shadedBy = h("span", { class: "quiet" });

  const sourceRow = h(
    "div",
    {},
    h("h2", { class: "heading" }, t("tokens.source"), " ", shadedBy),
    source,
  );
  watch(["trace"], ({ trace }) => {
    const src = trace?.src ?? [];
    const tgt = trace ? [trace.tgt_in[0], ...trace.tgt_out] : [];
    source.replaceChildren(...src.map((token) => h("li", {}, tokenNode(token))));
    target.replaceChildren(
      ...tgt.map((token, step) =>
        h(
          "li",
          {}, // Out of the Tab key's way: the slider and the arrow keys reach every step.
          h(
            "button",
            { type: "button", tabindex: -1, click: () => actions.goTo(step) },
            tokenNode(token),
          ),
        ),
      ),
    );
    sourceRow.hidden = src.length === 0;
  });

  watch(["trace", "step", "heads", "theme"], ({ trace, step, heads, theme }) => {
    const cross = trace?.weights.cross;
    if (!cross || !heads.cross) return;
    const { layer, head } = heads.cross;
    const row = headWeights(cross, layer, head).subarray(step * cross.keys);
    for (const [key, item] of [...source.children].entries()) {
      const { style } = /** @type {HTMLElement} */ (item);
      style.backgroundColor = weightColor(row[key], theme);
      style.color = inkOn(row[key], theme);
    }
    shadedBy.textContent = t("tokens.shaded_by", { head: headTitle(t, heads.cross) });
  });

  watch(["trace", "step"], ({ step }) => {
    for (const [i, { firstElementChild: token }] of [...target.children].entries()) {
      if (!token) continue;
      token.ariaCurrent = i === step ? "step" : null;
      token.classList.toggle("predicted", i === step + 1);
      token.classList.toggle("later", i > step + 1);
    }
  });

  return h(
    "section",
    { class: "tokens" },
    sourceRow,
    h("div", {}, h("h2", { class: "heading" }, t("tokens.target")), target),
  );
}
