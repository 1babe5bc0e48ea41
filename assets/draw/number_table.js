/** A small matrix of colours, as a table that can be read aloud, too. */

import { h } from "../kit/dom.js";
import { tableOf, tableRow } from "../kit/table.js";

/**
 * @typedef {object} NumberCell
 * @property {string} text  the number in words, and what it is of
 * @property {string} [color]
 * @property {string} [shown]  what stands in the cell
 * @property {string} [ink]  in this colour
 * @property {number} [signed]  from minus 1, orange, to 1, blue; instead of a colour
 * @property {string} [kind]  a class, such as "hatched"
 * @property {boolean} [chosen]
 * @property {() => void} [choose]
 */

/**
 * Numbers as a table.
 *
 * @param {object} map
 * @param {string} map.caption
 * @param {string} [map.corner]
 * @param {(Node | string)[][]} map.rows  the labels of each row, one or two
 * @param {(Node | string)[]} map.columns
 * @param {(row: number, column: number) => NumberCell} map.cell
 */
export function numberTable({ caption, corner = "", rows, columns, cell }) {
  const labels = rows[0]?.length ?? 1;
  return tableOf({
    caption,
    kind: "map-table",
    columns: [
      h("td", { colspan: labels, class: "quiet" }, corner),
      ...columns.map((label) => h("span", {}, label)),
    ],
    rows: rows.map((names, row) =>
      tableRow(
        names,
        columns.map((_, column) => cellView(cell(row, column))),
      ),
    ),
  });
}

/** @param {NumberCell} cell */
function cellView({ text, color, shown = "", ink, signed, kind, chosen, choose }) {
  const style = [
    color && `background-color: ${color}`,
    ink && `color: ${ink}`,
    signed !== undefined && `--size: ${Math.round(100 * Math.min(1, Math.abs(signed)))}%`,
  ];
  const sign = signed === undefined ? null : signed < 0 ? "signed-cell minus" : "signed-cell plus";
  const attributes = {
    class: [kind, sign, sign && shown ? "legible" : null].filter(Boolean).join(" ") || null,
    style: style.filter(Boolean).join("; ") || null,
    title: text,
  };
  if (!choose) return h("td", { ...attributes, "aria-label": text }, shown);
  const button = { "aria-label": text, "aria-pressed": String(chosen ?? false) };
  return h("td", attributes, h("button", { ...button, click: choose }, shown));
}
