/** What each part of a layer costs: how it grows, beside the times of the serving machine. */

import { h } from "../../../kit/dom.js";
import { problemText } from "../../../state/server.js";

/** As the tutorials' table has them, n the number of tokens, d the width. */
const PARTS = /** @type {const} */ ([
  ["attention", "O(n²·d)"],
  ["projections", "O(n·d²)"],
  ["feed_forward", "O(n·d²)"],
  ["norm", "O(n·d)"],
]);

/** @param {import("../../../state/actions.js").Context} context */
export function costsView({ analyse, t, watch }) {
  const waiting = h("p", { role: "status", class: "quiet" });
  const problem = h("p", { role: "alert" });
  const body = h("div", { class: "scrolling", tabindex: 0, role: "region" });
  body.ariaLabel = t("model.costs");
  let requests = 0;
  watch(["trace"], async () => {
    const request = ++requests;
    if (!body.hasChildNodes()) waiting.textContent = t("costs.waiting");
    const { inside, error } = await analyse("costs");
    if (request !== requests) return; // another trace is shown meanwhile
    waiting.textContent = "";
    problem.textContent = inside ? "" : problemText(t, error);
    if (inside) body.replaceChildren(...costsTable(t, inside));
  });
  return h("div", { class: "explained" }, h("p", {}, t("costs.why")), waiting, problem, body);
}

/** @type {(t: import("../../../kit/i18n.js").Translate, costs: any) => Node[]} */
function costsTable(t, { lengths, seconds, d_model, threads }) {
  const headings = PARTS.map(([part, grows]) =>
    h("th", { scope: "col" }, t(`costs.${part}`), h("span", { class: "formula" }, grows)),
  );
  const rows = lengths.map((/** @type {number} */ length, /** @type {number} */ i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `n = ${length}`),
      ...PARTS.map(([part]) => h("td", {}, microseconds(seconds[part][i]))),
    ),
  );
  const growth = PARTS.map(([part]) => {
    const times = /** @type {number[]} */ (seconds[part]);
    const factor = (times[times.length - 1] / times[0]) ** (1 / (times.length - 1));
    return h("td", {}, `× ${factor.toFixed(1)}`);
  });
  return [
    h(
      "table",
      { class: "costs" },
      h("thead", {}, h("tr", {}, h("td", {}), ...headings)),
      h("tbody", {}, ...rows),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t("costs.doubling")), ...growth)),
    ),
    h("p", { class: "quiet" }, t("costs.measured", { size: d_model, threads })),
  ];
}

/** @param {number} seconds */
function microseconds(seconds) {
  const value = seconds * 1e6;
  return `${value.toLocaleString("en", { maximumSignificantDigits: 2 })} µs`;
}
