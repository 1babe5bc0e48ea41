/** The tokens on both sides: queries on the right, keys on the left. */

import { rowHeadings } from "../../../draw/titles.js";
import { tokenNode } from "../../../draw/token.js";
import { h } from "../../../kit/dom.js";
import { isAhead, isStep, keyTokens, rowLabels } from "../../../trace/kinds.js";

/** @import { Drawn, Standout } from "./drawn.js" */

/** @param {import("../../../kit/i18n.js").Translate} t */
export function lineLabels(t) {
  const heading = h("span", { class: "axis-title" });
  const keys = h("ol", { class: "side keys", "aria-label": t("lines.keys") });
  const queries = h("ol", { class: "side queries", "aria-label": t("lines.queries") });
  return {
    heading,
    keys,
    queries,
    /** @param {Drawn} drawn */
    show({ trace, kind }) {
      const rows = rowLabels(trace, kind);
      heading.textContent = rowHeadings(t, kind).join(" → ");
      keys.replaceChildren(
        ...keyTokens(trace, kind).map((token) =>
          h("li", { class: "cut", title: token }, tokenNode(token)),
        ),
      );
      queries.replaceChildren(...rows[0].map((_, i) => item(rows.map((tokens) => tokens[i]))));
    },
    /** @param {Standout | null} light  whose tokens are lit where they are pointed at */
    light(light) {
      for (const [list, lit] of /** @type {const} */ ([
        [keys, light?.columns],
        [queries, light?.rows],
      ])) {
        for (const [i, token] of [...list.children].entries()) {
          token.classList.toggle("lit", (light?.pointed && lit?.has(i)) ?? false);
        }
      }
    },
    /** @type {(trace: Drawn["trace"], kind: Drawn["kind"], step: number) => void} */
    markStep(trace, kind, step) {
      const steps = isStep(trace, kind);
      for (const [i, label] of [...queries.children].entries()) {
        label.ariaCurrent = steps && i === step ? "step" : null;
        label.classList.toggle("later", isAhead(kind, i, step));
      }
    },
  };
}

/** @param {string[]} tokens  what a row reads and, if it decodes, predicts */
function item(tokens) {
  const [reads, predicts] = tokens;
  return h(
    "li",
    { class: "cut", title: tokens.filter((token) => token !== "").join(" → ") },
    tokenNode(reads),
    ...(!predicts ? [] : [h("span", { class: "quiet" }, " → "), tokenNode(predicts)]),
  );
}
