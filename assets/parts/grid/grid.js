/**
 * Cells with labelled axes, on a canvas. The cells are painted once; a step, pointing and walking
 * only mark them.
 */

import { measureIn } from "../../draw/axes.js";
import { layoutMatrix } from "../../draw/layout.js";
import { h } from "../../kit/dom.js";
import { gridAxes } from "./axes.js";
import { gridDrawing } from "./drawing.js";

/** @typedef {import("../../draw/layout.js").Layout} Layout */
/** @typedef {import("../../draw/paint.js").Grid} Grid */
/** @typedef {ReturnType<typeof gridView>} GridView */

/** A grid: elements of its canvas, labels and tip, and what lays them out, paints and marks them. */
export function gridView() {
  const canvas = h("canvas", { role: "img" });
  const cells = h("div", { class: "cells", role: "application", tabindex: 0 }, canvas);
  const columns = h("div", { class: "axis columns" });
  const plot = h("div", { class: "plot" });
  const tip = h("p", { class: "tip", hidden: true });
  /** @type {HTMLElement[]} */
  let rows = [];
  /** @type {Layout | undefined} */
  let layout;
  const axes = gridAxes(columns, () => rows);
  const drawing = gridDrawing(canvas, plot, axes.show);
  const { scrolled, part, paint, mark } = drawing;

  return {
    ...{ canvas, cells, columns, plot, scrolled, tip, part, paint, mark },
    /** Each column of row labels. */
    rows: () => rows,
    /** Undefined until it is laid out. */
    layout: () => layout,

    /**
     * @param {string} over  the columns
     * @param {string[]} headings  over each column of row labels
     * @param {string | null} term  that explains these
     * @param {Node[]} beside  what stands at the end of the rows, its heading first
     */
    setAxes(over, headings, term = null, beside = []) {
      rows = headings.map((_, i) => h("div", { class: `axis rows${i ? " second" : ""}` }));
      /** @type {(heading: string, where: string, term: string | null) => HTMLElement} */
      const title = (heading, where, term) =>
        h("span", { class: `axis-title ${where}`, "data-term": term }, heading);
      plot.replaceChildren(
        title(over, "over-columns", null),
        ...headings.map((each, i) => title(each, i ? "over-second" : "over-rows", term)),
        ...[columns, ...rows, cells, ...beside, tip],
      );
    },

    /**
     * @param {import("../../draw/layout.js").Room} room
     * @param {string[][]} labels  one list for each column of row labels, with its heading
     * @param {string[]} names  the columns'
     */
    layOut(room, labels, names) {
      const measure = measureIn(plot);
      layout = layoutMatrix(room, labels, names, measure);
      for (const [name, size] of Object.entries({
        "--cell-width": layout.cellWidth,
        "--cell-height": layout.cellHeight,
        "--row-label": layout.rowLabel,
        "--column-label": layout.columnLabel,
        "--font": layout.font,
        "--heading-font": layout.headingFont,
        "--fit-height": layout.height,
      })) {
        plot.style.setProperty(name, `${size}px`);
      }
      plot.style.setProperty("--label-columns", String(rows.length));
      plot.style.setProperty("--rows", String(labels[0].length - 1));
      plot.style.setProperty("--columns", String(names.length));
      axes.lay(layout, labels, names, measure);
      const count = { rows: labels[0].length - 1, columns: names.length };
      drawing.lay({ layout, count, sides: rows.length });
      return layout;
    },
  };
}
