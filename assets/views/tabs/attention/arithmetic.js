/** A weight's arithmetic as a page of formulas, vectors and a table, step after step. */

import { largest } from "../../../draw/strip.js";
import { figureTitle } from "../../../draw/titles.js";
import { tokenNode } from "../../../draw/token.js";
import { vectorView } from "../../../draw/vector.js";
import { h } from "../../../kit/dom.js";
import { fill } from "../../../kit/i18n.js";
import { numberText, smallText } from "../../../kit/numbers.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { total, workOut } from "../../../trace/arithmetic.js";
import { decodes, keyTokens, queryTokens } from "../../../trace/kinds.js";

/** @typedef {import("../../../kit/i18n.js").Translate} Translate */
/** @typedef {import("../../../trace/arithmetic.js").Arithmetic} Arithmetic */

/**
 * @param {Translate} t
 * @param {import("../../../trace/trace.js").Trace} trace
 * @param {import("../../../trace/choice.js").Cell} cell  of one head
 * @param {import("../../../trace/arithmetic.js").HeadNumbers} numbers
 * @returns {(Node | string)[]}
 */
export function arithmeticView(t, trace, cell, numbers) {
  const { kind } = cell;
  const keys = keyTokens(trace, kind);
  const [asking, asked] = [queryTokens(trace, kind)[cell.query], keys[cell.key]];
  const worked = workOut(numbers, cell, trace.weights[cell.kind]?.causal);
  const { query, key, value, products, dot, scaled, weight, masked, changed } = worked;
  const size = query.length;
  const heads = trace.weights[kind]?.heads ?? 1;
  return [
    h(
      "p",
      { class: "sentence" },
      ...fill(t(decodes(kind) ? "worked_out.decoder" : "worked_out.encoder"), {
        query: tokenNode(asking),
        predicts: tokenNode(trace.tgt_out[cell.query] ?? ""),
        key: tokenNode(asked),
        weight: h("strong", {}, masked ? t("tip.masked") : smallText(weight)),
      }),
      h("span", { class: "quiet" }, ` ${figureTitle(t, kind, cell)}`),
    ),
    changed ? h("p", { role: "note" }, t("worked_out.changed")) : "",
    h("p", { class: "quiet" }, ...fill(t("worked_out.strips"), swatches(t))),
    step(t("worked_out.from"), t(`worked_out.from_${kind}`, { size, width: heads * size })),
    step(
      t("worked_out.compare"),
      t("worked_out.compare_why", { size }),
      vectorView(t("worked_out.query"), query, { token: asking }),
      vectorView(t("worked_out.key"), key, { token: asked }),
      vectorView(t("worked_out.products"), products),
      formula(`q·k = Σ qᵢ·kᵢ = ${numberText(dot)}`),
    ),
    step(
      t("worked_out.scale"),
      t("worked_out.scale_why", { size }),
      formula(
        `q·k ÷ √${size} = ${numberText(dot)} ÷ ${numberText(Math.sqrt(size))} = ${numberText(scaled)}`,
      ),
    ),
    step(
      t("worked_out.softmax"),
      softmaxText(t, worked),
      h(
        "div",
        { class: "scrolling", tabindex: 0, role: "region", "aria-label": t("worked_out.row") },
        rowTable(t, keys, worked, cell.key),
      ),
      masked || changed ? "" : formula(softmaxFormula(worked, cell.key)),
      h("p", { class: "quiet" }, t("worked_out.exp_why")),
    ),
    step(
      t("worked_out.bring"),
      t("worked_out.bring_why"),
      vectorView(t("worked_out.value"), value, { token: asked }),
      // In the value's colours: a small weight brings little.
      vectorView(t("worked_out.share"), worked.share, { most: largest(value) }),
      vectorView(t("worked_out.output"), worked.output),
    ),
    step(t("worked_out.goes"), t("worked_out.goes_why", { heads, size, width: heads * size })),
  ];
}

/**
 * @param {Translate} t
 * @param {Arithmetic} worked
 */
function softmaxText(t, { masked, row }) {
  if (masked) return t("worked_out.masked");
  const causal = row.some((term) => term.masked);
  return t(causal ? "worked_out.causal" : "worked_out.softmax_why");
}

/**
 * @param {Arithmetic} worked
 * @param {number} key
 */
function softmaxFormula({ row, largest: most, sum, computed }, key) {
  const less = most < 0 ? `(${numberText(most)})` : numberText(most);
  return `exp(${numberText(row[key].score)} − ${less}) ÷ ${numberText(sum)} = ${smallText(computed)}`;
}

/**
 * @param {Translate} t
 * @param {string[]} tokens
 * @param {Arithmetic} worked
 * @param {number} current  the cell's key
 */
function rowTable(t, tokens, { row, sum }, current) {
  const columns = [t("axis.keys"), t("worked_out.score"), "exp(s − max)", t("legend.weight")];
  const rows = row.map(({ score, exp, weight, masked }, i) => {
    const numbers = masked
      ? [`${numberText(score)} → ${numberText(-Infinity)}`, numberText(0), t("tip.masked")]
      : [numberText(score), smallText(exp), smallText(weight)];
    return tableRow([tokenNode(tokens[i])], numbers, {
      "aria-current": i === current ? "true" : null,
    });
  });
  const sums = [numberText(sum), numberText(total(row.map(({ weight }) => weight)))];
  return tableOf({ columns, rows, foot: [tableRow(["Σ"], ["", ...sums])] });
}

/** @type {(title: string, text: string, ...parts: (Node | string)[]) => HTMLElement} */
function step(title, text, ...parts) {
  return h(
    "section",
    { "aria-label": title },
    h("h3", {}, title),
    h("p", { class: "quiet" }, text),
    ...parts,
  );
}

/** @param {string} text */
function formula(text) {
  return h("p", { class: "formula" }, text);
}

/** @param {Translate} t */
function swatches(t) {
  const swatch = (/** @type {"plus" | "minus"} */ sign) =>
    h("span", { class: "signed" }, h("span", { class: `swatch ${sign}` }), t(`worked_out.${sign}`));
  return { plus: swatch("plus"), minus: swatch("minus") };
}
