/** The labels along a grid: one for each cell, or along a matrix of many tokens those there is room for. */

import { axisLabels } from "../../draw/axes.js";
import { thinnedAxis, unthinned } from "../../draw/thinned_axis.js";

/** @import { Layout } from "../../draw/layout.js" */
/** @import { Part } from "../../draw/pooled.js" */
/** @import { ThinnedAxis } from "../../draw/thinned_axis.js" */

/**
 * Labels of the rows and columns of a grid, thinned where there are more than fit.
 *
 * @param {HTMLElement} columns
 * @param {() => HTMLElement[]} rowsOf  each column of row labels
 */
export function gridAxes(columns, rowsOf) {
  /** @type {{rows: ThinnedAxis[], columns: ThinnedAxis} | null} */
  let thinned = null;
  return {
    /**
     * @param {Layout} layout
     * @param {string[][]} labels  one list for each column of row labels, with its heading
     * @param {string[]} names  the columns'
     * @param {(text: string, font: number) => number} measure
     */
    lay(layout, labels, names, measure) {
      const tokens = labels.map((own) => own.slice(1));
      const rows = rowsOf();
      if (layout.many) {
        thinned = {
          rows: rows.map((axis, i) => thinnedAxis(axis, tokens[i], layout, "row", measure)),
          columns: thinnedAxis(columns, names, layout, "column", measure),
        };
        return;
      }
      thinned = null;
      for (const axis of [...rows, columns]) unthinned(axis);
      columns.replaceChildren(...axisLabels(names, layout, "column", measure));
      for (const [i, axis] of rows.entries()) {
        axis.replaceChildren(...axisLabels(tokens[i], layout, "row", measure));
      }
    },
    /** Shows, of many tokens, those beside what is drawn. @param {Part} part */
    show({ row, rows, column, columns }) {
      for (const axis of thinned?.rows ?? []) axis.show(row, rows);
      thinned?.columns.show(column, columns);
    },
  };
}
