/** One head's numbers as a table for spreadsheets. */

import { rowHeadings } from "../../draw/titles.js";
import { isMasked, keyTokens, rowLabels } from "../../trace/kinds.js";
import { headWeights, maskAt, sinkOf } from "../../trace/weights.js";

/** The mark by which Excel knows that a file is UTF-8. */
const MARK = "\uFEFF";

/** Weights come as float16, which holds three to four significant digits. */
const DIGITS = 5;

/**
 * Rows are queries, columns keys; a decoder's row starts with the token that it reads and the one
 * that it predicts. Masked cells are empty: they have no weight.
 *
 * @param {import("../../trace/kinds.js").Tokens & Pick<import("../../trace/trace.js").Trace, "weights">} trace
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {import("../../trace/choice.js").Choice} choice
 * @param {import("../../kit/i18n.js").Translate} t
 */
export function headCsv(trace, kind, choice, t) {
  const weights = trace.weights[kind];
  if (!weights) throw new TypeError(`this trace has no ${kind}`);
  const { queries, keys } = weights;
  const values = headWeights(weights, choice);
  const sides = rowLabels(trace, kind);
  const sink = sinkOf(weights, choice);
  const heading = [...rowHeadings(t, kind), ...(sink ? [t("axis.sink")] : [])];
  const rows = [[...heading, ...keyTokens(trace, kind)].map(cell)];
  for (let query = 0; query < queries; query++) {
    const row = sides.map((tokens) => cell(tokens[query]));
    if (sink) row.push(String(Number(sink[query].toPrecision(DIGITS))));
    for (let key = 0; key < keys; key++) {
      const value = Number(values[query * keys + key].toPrecision(DIGITS));
      row.push(isMasked(kind, query, key, maskAt(weights, choice)) ? "" : String(value));
    }
    rows.push(row);
  }
  return written(rows);
}

/**
 * A table of texts.
 *
 * @param {string[][]} rows
 */
export function csvText(rows) {
  return written(rows.map((row) => row.map(cell)));
}

/** @param {string[][]} rows  of cells */
function written(rows) {
  return MARK + rows.map((row) => `${row.join(",")}\r\n`).join("");
}

/**
 * A token is text, also where a spreadsheet would take it for a formula and compute it.
 *
 * @param {string} token
 */
function cell(token) {
  const safe = /^[=+\-@\t\r]./su.test(token) ? `'${token}` : token;
  return `"${safe.replaceAll('"', '""')}"`;
}
