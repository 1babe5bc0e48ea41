/** What the class has said as bars, beside what the model does. */

import { h } from "../kit/dom.js";
import { countText, weightText } from "../kit/numbers.js";
import { tableOf, tableRow } from "../kit/table.js";
import { inARow } from "../kit/typeset.js";
import { labelText } from "./texts.js";

/** @import { Outcome } from "../state/classroom/classroom.js" */

/** What nobody said and the model hardly does needs no row. */
const LEAST = 0.01;

/**
 * @param {import("../kit/i18n.js").Translate} t
 * @param {import("../state/classroom/classroom.js").AskedKind} kind
 * @param {Outcome} outcome
 * @returns {HTMLElement[]}  a table, and a sentence on who was sure
 */
export function barsView(t, kind, outcome) {
  const { labels, counts, shares, right, answered } = outcome;
  const mark = () => h("span", { class: "mark", role: "img", "aria-label": t("class.right") }, "✓");
  const rows = labels.flatMap((label, i) => {
    const share = shares?.[i] ?? null;
    if (!counts[i] && i !== right && (share === null ? kind === "next" : share < LEAST)) return [];
    return [row(labelText(t, kind, label), counts[i], share, i === right)];
  });
  if (outcome.else) rows.push(row(t("class.something_else"), outcome.else, null, false));

  /** @type {(label: string, count: number, share: number | null, isRight: boolean) => HTMLTableRowElement} */
  function row(label, count, share, isRight) {
    const name = h("th", { scope: "row" }, label, isRight ? mark() : null);
    const people = h("td", {}, bar("people", answered ? count / answered : 0), countText(count, 4));
    const model = h("td", {}, ...(share === null ? [] : [bar("model", share), weightText(share)]));
    const kind = isRight ? "right" : null;
    return tableRow([name], shares ? [people, model] : [people], { class: kind });
  }
  const table = tableOf({
    kind: "class-bars",
    columns: [t("class.answer"), t("class.the_class"), ...(shares ? [t("class.the_model")] : [])],
    rows,
  });
  table.ariaLabel = t("class.outcome");
  const { sure, sure_wrong: wrong } = outcome;
  const sureText =
    right === null ? t("class.sure", { count: sure }) : t("class.wrong", { count: wrong, sure });
  return [table, h("p", {}, inARow([t("class.answered", { count: answered }), sureText]))];
}

/** @type {(kind: "people" | "model", share: number) => HTMLElement} */
function bar(kind, share) {
  return h("span", { class: `bar ${kind}`, style: `--share: ${Math.min(1, share)}` });
}
