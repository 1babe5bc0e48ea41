/** A matrix in numbers, for reading aloud and copying: made when it is asked for. */

import { h, icon, tokenNode } from "./dom.js";
import { headTitle } from "./head.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function tableView({ t, watch }, kind) {
  const decodes = kind !== "encoder_self";
  const name = t("table.name", { kind: t(`${kind}.title`) });
  const region = h("div", { class: "table", role: "region", "aria-label": name, tabindex: 0 });
  /** @type {HTMLTableRowElement[]} */
  let rows = [];

  watch(["tables", "trace", "heads"], ({ tables, trace, heads }) => {
    const weights = trace?.weights[kind];
    const chosen = heads[kind];
    region.hidden = !tables[kind];
    if (region.hidden || !weights || !chosen) {
      region.replaceChildren();
      rows = [];
      return;
    }
    const values = headWeights(weights, chosen.layer, chosen.head);
    const headings = decodes ? [t("axis.reads"), t("axis.predicts")] : [t("axis.queries")];
    const queries = decodes ? [trace.tgt_in, trace.tgt_out] : [trace.src];
    rows = queries[0].map((_, query) =>
      h(
        "tr",
        {},
        ...queries.map((tokens) => h("th", { scope: "row" }, tokenNode(tokens[query]))),
        ...keyTokens(trace, kind).map((_, key) =>
          isMasked(kind, query, key)
            ? h("td", { class: "hatched" }, h("span", { class: "spoken" }, t("tip.masked")))
            : h("td", {}, values[query * weights.keys + key].toFixed(2)),
        ),
      ),
    );
    region.replaceChildren(
      h(
        "table",
        {},
        h("caption", {}, headTitle(t, chosen)),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...headings.map((heading) => h("th", { scope: "col" }, heading)),
            ...keyTokens(trace, kind).map((token) => h("th", { scope: "col" }, tokenNode(token))),
          ),
        ),
        h("tbody", {}, ...rows),
      ),
    );
  });

  // What is not decoded yet is not told; the rest of the table stays as it is.
  watch(["tables", "trace", "heads", "step"], ({ step }) => {
    for (const [query, row] of rows.entries()) {
      row.hidden = decodes && query > step;
      row.classList.toggle("current", decodes && query === step);
    }
  });
  return region;
}

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function tableButton({ store, actions, t, watch }, kind) {
  const button = h(
    "button",
    {
      type: "button",
      class: "bare small",
      title: t("table"),
      "aria-label": t("table"),
      click: () => actions.tabulate(kind, !store.get().tables[kind]),
    },
    icon("table"),
  );
  watch(["tables"], ({ tables }) => (button.ariaPressed = String(tables[kind] ?? false)));
  return button;
}
