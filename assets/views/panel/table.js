/** A matrix in numbers, for reading aloud and copying: made when it is asked for. */

import { headTitle, rowHeadings } from "../../draw/titles.js";
import { tokenNode } from "../../draw/token.js";
import { region } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { weightText } from "../../kit/numbers.js";
import { hatchedCell, tableOf, tableRow } from "../../kit/table.js";
import { isAhead, isMasked, isStep, keyTokens, rowLabels } from "../../trace/kinds.js";
import { hasSink } from "../../trace/sinks.js";
import { headWeights, isHere, isOff, maskAt, sinkOf } from "../../trace/weights.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function tableView({ t, watch }, kind) {
  const name = t("table.name", { kind: t(`${kind}.title`) });
  const place = region("table", name);
  /** @type {HTMLTableRowElement[]} */
  let rows = [];

  watch(["tables", "trace", "heads", "arrivals"], ({ tables, trace, heads }) => {
    const weights = trace?.weights[kind];
    const chosen = heads[kind];
    place.hidden = !tables[kind];
    if (place.hidden || !weights || !chosen) {
      place.replaceChildren();
      rows = [];
      return;
    }
    if (!isHere(weights, chosen)) {
      rows = [];
      place.replaceChildren(h("p", { class: "quiet", role: "status" }, t("analysis.waiting")));
      return;
    }
    const values = headWeights(weights, chosen);
    const sink = sinkOf(weights, chosen);
    const [queries, keys] = [rowLabels(trace, kind), keyTokens(trace, kind)];
    rows = queries[0].map((_, query) => {
      const off = isOff(values, query, weights.keys);
      return tableRow(
        queries.map((tokens) => tokenNode(tokens[query])),
        [
          ...(sink ? [weightText(sink[query], { digits: 2 })] : []),
          ...keys.map((_, key) =>
            isMasked(kind, query, key, maskAt(weights, chosen))
              ? hatchedCell(t("tip.masked"))
              : weightText(values[query * weights.keys + key], { digits: 2, off }),
          ),
        ],
      );
    });
    const columns = [
      ...rowHeadings(t, kind),
      ...(sink ? [t("axis.sink")] : []),
      ...keys.map(tokenNode),
    ];
    place.replaceChildren(tableOf({ caption: headTitle(t, chosen), columns, rows }));
  });

  // What is not decoded yet is not told; the rest of the table stays as it is.
  watch(["tables", "trace", "heads", "arrivals", "step", "hiding"], ({ trace, step, hiding }) => {
    const weights = trace?.weights[kind];
    const before = rowHeadings(t, kind).length + (weights && hasSink(weights) ? 1 : 0);
    const keys = [...place.querySelectorAll("thead th")].slice(before);
    for (const [key, heading] of keys.entries()) {
      heading.classList.toggle("ahead", hiding && kind === "decoder_self" && key > step);
    }
    const steps = trace !== null && isStep(trace, kind);
    for (const [query, row] of rows.entries()) {
      row.hidden = isAhead(kind, query, step);
      row.classList.toggle("current", steps && query === step);
    }
  });
  return place;
}
