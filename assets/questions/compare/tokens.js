/** What two traces say, token under token; and what a change does to each token said before. */

import { numberTable } from "../../draw/number_table.js";
import { tokenNode } from "../../draw/token.js";
import { region } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText, changeText, probabilityText } from "../../kit/numbers.js";
import { alignTokens, emittedProbability } from "../../trace/comparison.js";

/** @import { Trace } from "../../trace/trace.js" */
/** @import { NumberCell } from "../../draw/number_table.js" */

/** A change by so many nats has the fullest colour. */
const FULL = 3;

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {{one: Trace, name: string, other: Trace, now: string}} compared
 * @param {import("../../trace/answers.d.ts").Answers["effect"] | null} effect  of the change between the two
 */
export function compareTokens(t, { one, name, other, now }, effect) {
  const columns = alignTokens(one.tgt_out, other.tgt_out);
  const different = columns.filter(({ same }) => !same).length;
  /** @type {(of: Trace, step: number | null) => NumberCell} */
  const chance = (of, step) => {
    const p = step === null ? null : emittedProbability(of, step);
    return { text: p === null ? "" : `p = ${probabilityText(p)}` };
  };
  /** @type {(change: number | null) => NumberCell} */
  const signed = (change) => {
    if (change === null) return { text: "−∞", shown: "−∞", signed: -1 };
    const text = changeText(change, 2);
    return { text: t("heads.nats", { nats: text }), shown: text, signed: change / FULL };
  };
  /** @type {{name: string, cell: (column: import("../../trace/comparison.js").Column) => NumberCell, token?: Trace}[]} */
  const rows = [
    { name, cell: ({ one: step }) => chance(one, step), token: one },
    { name: now, cell: ({ other: step }) => chance(other, step), token: other },
  ];
  if (effect) {
    const { log_probability, divergence } = effect;
    const none = { text: "" };
    rows.push(
      {
        name: t("compare.log_probability"),
        cell: ({ one: step }) => (step === null ? none : signed(log_probability[step] ?? null)),
      },
      {
        name: t("compare.divergence"),
        cell: ({ one: step }) => {
          const nats = step === null ? null : divergence[step];
          if (nats === null) return none;
          const shown = briefText(nats);
          return { text: t("heads.nats", { nats: shown }), shown };
        },
      },
    );
  }
  const table = numberTable({
    caption: t(different ? "compare.different" : "compare.same", { count: different }),
    rows: rows.map((row) => [row.name]),
    columns: columns.map((_, i) => String(i + 1)),
    cell: (row, column) => rows[row].cell(columns[column]),
  });
  table.classList.add("token-lines");
  for (const [i, { token: of }] of rows.entries()) {
    if (!of) continue;
    const cells = [...(table.tBodies[0].rows[i]?.querySelectorAll("td") ?? [])];
    for (const [k, cell] of cells.entries()) {
      const step = of === one ? columns[k].one : columns[k].other;
      if (step === null) continue;
      cell.removeAttribute("aria-label");
      cell.append(h(columns[k].same ? "span" : "mark", {}, tokenNode(of.tgt_out[step])));
    }
  }
  const all = effect?.log_probability.reduce((sum, change) => (sum ?? 0) + (change ?? 0), 0) ?? 0;
  const nats = briefText(Math.abs(all));
  const total = nats === briefText(0) ? "same" : all < 0 ? "less" : "more";
  return h(
    "div",
    {},
    region("scrolling", t("compare.tokens"), table),
    effect ? h("p", {}, t(`compare.total.${total}`, { nats })) : null,
    effect ? h("p", { class: "quiet" }, t("compare.explained")) : null,
    h("p", { class: "quiet" }, t("compare.marked")),
  );
}
