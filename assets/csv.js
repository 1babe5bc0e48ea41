/** One head's numbers as a table for spreadsheets. */

import { headWeights, isMasked, keyTokens } from "./trace.js";

/** By this mark Excel knows that a file is UTF-8. */
const MARK = "\uFEFF";

/** Weights come as float16, which holds three to four significant digits. */
const DIGITS = 5;

/**
 * Rows are queries, columns keys; a decoder's row starts with the token that it reads and the one
 * that it predicts. Masked cells are empty: they have no weight.
 *
 * @param {import("./trace.js").Trace} trace
 * @param {import("./trace.js").Kind} kind
 * @param {import("./head.js").Choice} choice
 * @param {import("./i18n.js").Translate} t
 */
export function headCsv(trace, kind, choice, t) {
  const weights = trace.weights[kind];
  if (!weights) throw new TypeError(`this trace has no ${kind}`);
  const { queries, keys } = weights;
  const values = headWeights(weights, choice.layer, choice.head);
  const sides = kind === "encoder_self" ? [trace.src] : [trace.tgt_in, trace.tgt_out];
  const titles = sides.length > 1 ? [t("axis.reads"), t("axis.predicts")] : [t("axis.queries")];
  const rows = [[...titles, ...keyTokens(trace, kind)].map(cell)];
  for (let query = 0; query < queries; query++) {
    const row = sides.map((tokens) => cell(tokens[query]));
    for (let key = 0; key < keys; key++) {
      const value = Number(values[query * keys + key].toPrecision(DIGITS));
      row.push(isMasked(kind, query, key) ? "" : String(value));
    }
    rows.push(row);
  }
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
