/** The whole row, one line a key: its numbers as they come about, and a bar of the newest. */

import { band, largest } from "../../draw/strip.js";
import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { numberText, smallText } from "../../kit/numbers.js";
import { tableOf } from "../../kit/table.js";
import { total } from "../../trace/arithmetic.js";

/** @import { Frame, Term } from "../../trace/arithmetic.js" */

/** Bars grow one after another, the later ones together. */
const LATEST = 12;

/** Which number of a key is a bar. @type {Record<Frame, (term: Term) => number>} */
const BARS = {
  vectors: () => 0,
  score: ({ dot }) => dot,
  scale: ({ score, masked }) => (masked ? 0 : score),
  exp: ({ exp }) => exp,
  softmax: ({ weight }) => weight,
  values: ({ weight }) => weight,
  output: ({ weight }) => weight,
};

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("./vectors.js").Worked} worked
 * @param {string[]} tokens
 * @param {(key: number) => void} choose
 */
export function rowView(t, { cell, arithmetic, numbers }, tokens, choose) {
  const { row, sum, query } = arithmetic;
  const [keyMost, valueMost] = [numbers.key, numbers.value].map((rows) =>
    Math.max(...rows.map(largest)),
  );
  const bars = row.map((_, i) =>
    h("span", { class: "amount", style: `--order: ${Math.min(i, LATEST)}` }),
  );
  const keys = row.map((_, i) => band(`k ${tokens[i]}`, numbers.key[i], keyMost));
  const values = row.map((_, i) => band(`v ${tokens[i]}`, numbers.value[i], valueMost));
  const tokenButtons = tokens.map((token, i) =>
    h("button", { title: t("worked_out.choose"), click: () => choose(i) }, tokenNode(token)),
  );
  /** @type {(name: string, content?: Node | string) => HTMLTableCellElement} */
  const td = (name, content = "") => h("td", { class: name }, h("div", {}, content));
  const infinite = numberText(Number.NEGATIVE_INFINITY);
  const lines = row.map(({ dot, score, exp, weight, masked }, i) => {
    values[i].style.setProperty("--strength", String(weight));
    return h(
      "tr",
      { class: masked ? "masked" : null, "aria-current": i === cell.key ? "true" : null },
      h("th", { scope: "row" }, tokenButtons[i]),
      td("key", keys[i]),
      td("dot", numberText(dot)),
      td("score", masked ? infinite : numberText(score)),
      td("exp", masked ? "0" : smallText(exp)),
      td("weight", masked ? t("tip.masked") : smallText(weight)),
      td("bars", bars[i]),
      td("value", values[i]),
    );
  });
  /** @type {(name: string, text: string) => HTMLTableCellElement} */
  const th = (name, text) => h("th", { class: name, scope: "col" }, h("div", {}, text));
  const unit = h("div", {}, "0 … 1");
  const element = h(
    "div",
    { class: "row" },
    tableOf({
      caption: t("worked_out.row"),
      columns: [
        t("axis.keys"),
        th("key", t("worked_out.keys")),
        th("dot", "q·k"),
        th("score", `s = q·k ÷ √${query.length}`),
        th("exp", "exp(s − max)"),
        th("weight", t("legend.weight")),
        h("th", { class: "bars", scope: "col" }, unit),
        th("value", t("worked_out.values")),
      ],
      rows: lines,
      foot: [
        h(
          "tr",
          {},
          h("th", { scope: "row" }, "Σ"),
          ...[td("key"), td("dot"), td("score"), td("exp", numberText(sum))],
          td("weight", numberText(total(row.map(({ weight }) => weight)))),
          ...[td("bars"), td("value")],
        ),
      ],
    }),
  );

  return {
    ...{ element, bars, keys, values },
    /** @type {(frame: Frame, onward: boolean) => void} */
    show(frame, onward) {
      element.dataset.frame = frame;
      element.classList.toggle("onward", onward);
      const shown = row.map(BARS[frame]);
      // Scores before and after the division on one scale; from then on, 1 is the whole width.
      const signed = frame === "vectors" || frame === "score" || frame === "scale";
      const dots = row.map(({ dot }) => dot);
      const [least, most] = signed ? [Math.min(0, ...dots), Math.max(0, ...dots)] : [0, 1];
      const place = (/** @type {number} */ x) => (100 * (x - least)) / (most - least || 1);
      for (const [i, bar] of bars.entries()) {
        const [from, to] = [Math.min(0, shown[i]), Math.max(0, shown[i])].map(place);
        bar.style.setProperty("--begin", `${from}%`);
        bar.style.setProperty("--end", `${to}%`);
        bar.classList.toggle("plus", signed && shown[i] >= 0);
        bar.classList.toggle("minus", signed && shown[i] < 0);
      }
      element.style.setProperty("--zero", `${place(0)}%`);
      unit.hidden = signed;
    },
    /** On the key that is chosen. */
    focus: () => tokenButtons[cell.key].focus({ preventScroll: true }),
    /** Scrolls to the key that is chosen, if it is out of sight. */
    reveal: () => lines[cell.key].scrollIntoView({ block: "nearest" }),
  };
}
