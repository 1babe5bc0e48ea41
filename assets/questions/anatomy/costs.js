/** What each part of a layer costs: how it grows, beside the times of the serving machine. */

import { region } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { numberText, roughText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { awaiting } from "../../parts/awaited.js";

/**
 * As the tutorials' table has them, n the number of tokens, d the width; and how many times as long each
 * takes by that with n doubled.
 */
const PARTS = /** @type {const} */ ([
  ["attention", "O(n²·d)", 4],
  ["projections", "O(n·d²)", 2],
  ["feed_forward", "O(n·d²)", 2],
  ["norm", "O(n·d)", 2],
]);

/** @param {import("./settings.js").Context} context */
export function costsView({ about, t, watch }) {
  const body = region("scrolling", t("model.costs"));
  const { waiting, problem, show } = awaiting(t, { clear: () => body.replaceChildren() });
  watch(["trace"], ({ trace }) => {
    if (!trace) return;
    show(
      about(trace).inside("costs"),
      (costs) => body.replaceChildren(...costsTable(t, costs)),
      body.hasChildNodes() ? "" : t("costs.waiting"),
    );
  });
  return h("div", { class: "explained" }, h("p", {}, t("costs.why")), waiting, problem, body);
}

/** @type {(t: import("../../kit/i18n.js").Translate, costs: import("../../trace/answers.d.ts").Answers["costs"]) => Node[]} */
function costsTable(t, { lengths, seconds, d_model, threads }) {
  const headings = PARTS.map(([part, grows]) =>
    h("th", { scope: "col" }, t(`costs.${part}`), h("span", { class: "formula" }, grows)),
  );
  const rows = lengths.map((length, i) =>
    tableRow(
      [`n = ${length}`],
      PARTS.map(([part]) => microseconds(seconds[part][i])),
    ),
  );
  const growth = PARTS.map(([part]) => {
    const times = seconds[part];
    const factor = (times[times.length - 1] / times[0]) ** (1 / (times.length - 1));
    return `× ${numberText(factor, 1)}`;
  });
  return [
    tableOf({
      ...{ kind: "costs", columns: [h("td", {}), ...headings], rows },
      foot: [
        tableRow([t("costs.doubling")], growth),
        tableRow(
          [t("costs.by_law")],
          PARTS.map(([, , times]) => `× ${times}`),
        ),
      ],
    }),
    h("p", { class: "quiet" }, t("costs.measured", { size: d_model, threads })),
  ];
}

/** @param {number} seconds */
function microseconds(seconds) {
  return `${roughText(seconds * 1e6, 2)} µs`;
}
