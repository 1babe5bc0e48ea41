/** Tables: what heads their rows and columns is told to a screen reader, too. */

import { h } from "./dom.js";

/** @typedef {Node | string} Content  a <th> or <td> stands as it is */

/**
 * @param {object} table
 * @param {string} [table.caption]
 * @param {string | null} [table.kind]  a class
 * @param {Content[]} table.columns  their headings
 * @param {HTMLTableRowElement[]} table.rows
 * @param {HTMLTableRowElement[]} [table.foot]
 */
export function tableOf({ caption, kind = null, columns, rows, foot = [] }) {
  return h(
    "table",
    { class: kind },
    caption ? h("caption", {}, caption) : null,
    h("thead", {}, h("tr", {}, ...columns.map((content) => heading("col", content)))),
    h("tbody", {}, ...rows),
    foot.length ? h("tfoot", {}, ...foot) : null,
  );
}

/**
 * @param {Content[]} names  what heads the row
 * @param {Content[]} cells
 * @param {Record<string, unknown>} [attributes]
 */
export function tableRow(names, cells, attributes = {}) {
  return h(
    "tr",
    attributes,
    ...names.map((content) => heading("row", content)),
    ...cells.map((content) => (isCell(content) ? content : h("td", {}, content))),
  );
}

/**
 * A cell without a number, and why.
 *
 * @param {string} why
 */
export function hatchedCell(why) {
  return h("td", { class: "hatched" }, h("span", { class: "spoken" }, why));
}

/** @type {(scope: string, content: Content) => Content} */
function heading(scope, content) {
  return isCell(content) ? content : h("th", { scope }, content);
}

/** @param {Content} content */
function isCell(content) {
  return content instanceof HTMLTableCellElement;
}
