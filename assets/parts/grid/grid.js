/**
 * Cells with labelled axes, on a canvas. The cells are painted once; a step, pointing and walking
 * only mark them.
 */

import { axisLabels, measureIn } from "../../draw/axes.js";
import { layoutMatrix } from "../../draw/layout.js";
import { paintMarks } from "../../draw/marks.js";
import { resize } from "../../draw/paint.js";
import { wholeOf } from "../../draw/pooled.js";
import { thinnedAxis, unthinned } from "../../draw/thinned_axis.js";
import { h } from "../../kit/dom.js";
import { holds, partInSight } from "./sight.js";

/** @typedef {import("../../draw/layout.js").Layout} Layout */
/** @typedef {import("../../draw/paint.js").Grid} Grid */
/** @typedef {ReturnType<typeof gridView>} GridView */

/** Above the columns' labels of a matrix that scrolls, in CSS pixels, as the style sheet has it. */
const OVER = 24;

export function gridView() {
  const canvas = h("canvas", { role: "img" });
  const cells = h("div", { class: "cells", role: "application", tabindex: 0 }, canvas);
  const columns = h("div", { class: "axis columns" });
  const plot = h("div", { class: "plot" });
  const tip = h("p", { class: "tip", hidden: true });
  /** How far the plot is: read when it has moved, for asking at every step would be a layout each. */
  const scrolled = { left: 0, top: 0 };
  plot.addEventListener("scroll", () => {
    scrolled.left = plot.scrollLeft;
    scrolled.top = plot.scrollTop;
    if (layout?.many && !holds(drawn, inSight(0))) drawAnew();
  });
  const picture = new OffscreenCanvas(1, 1);
  // Opaque: what lies under it need not be put together with it.
  const brush = canvas.getContext("2d", { alpha: false });
  /** @type {HTMLElement[]} */
  let rows = [];
  /** @type {Layout | undefined} */
  let layout;
  /** @type {Grid | undefined} */
  let grid;
  /** What is drawn: all, but of many tokens. @type {import("../../draw/pooled.js").Part} */
  let drawn = wholeOf(0, 0);
  let count = { rows: 0, columns: 0 };
  /** @type {import("../../draw/thinned_axis.js").ThinnedAxis[]}  of rows, and of columns at last */
  let thinned = [];
  /** @type {((picture: OffscreenCanvas, part: typeof drawn | null) => Grid) | undefined} */
  let draw;
  /** Marks what was marked last. */
  let markAgain = () => {};

  /** @param {number} [around]  what is seen */
  function inSight(around) {
    if (!layout?.many || !layout.scrolls) return wholeOf(count.rows, count.columns);
    const [width, height] = [
      layout.width - rows.length * layout.rowLabel,
      layout.height - layout.columnLabel + OVER,
    ];
    return partInSight(layout, count, { ...scrolled, width, height }, around);
  }

  /** @type {(labels: string[][], names: string[], measure: (text: string, font: number) => number) => void} */
  function labelAxes(labels, names, measure) {
    if (!layout) return;
    const own = layout;
    if (own.many) {
      thinned = [
        ...rows.map((axis, i) => thinnedAxis(axis, labels[i].slice(1), own, "row", measure)),
        thinnedAxis(columns, names, own, "column", measure),
      ];
      return;
    }
    for (const axis of [...rows, columns]) unthinned(axis);
    columns.replaceChildren(...axisLabels(names, own, "column", measure));
    for (const [i, axis] of rows.entries()) {
      axis.replaceChildren(...axisLabels(labels[i].slice(1), own, "row", measure));
    }
  }

  function place() {
    drawn = inSight();
    const { many = false, cellWidth = 0, cellHeight = 0 } = layout ?? {};
    const { style } = canvas;
    for (const side of ["left", "top", "width", "height"]) style.removeProperty(side);
    canvas.classList.toggle("part", many);
    if (!many) return;
    style.left = `${Math.round(drawn.column * cellWidth)}px`;
    style.top = `${Math.round(drawn.row * cellHeight)}px`;
    for (const axis of thinned.slice(0, -1)) axis.show(drawn.row, drawn.rows);
    thinned.at(-1)?.show(drawn.column, drawn.columns);
  }

  function drawAnew() {
    place();
    paint();
    markAgain();
  }

  function paint() {
    if (!draw) return;
    grid = draw(picture, layout?.many ? drawn : null);
    resize(canvas, picture.width, picture.height);
    if (!layout?.many) return;
    // To the pixel: a line between cells would be as wide as two here and there.
    canvas.style.width = `${picture.width / grid.ratio}px`;
    canvas.style.height = `${picture.height / grid.ratio}px`;
  }

  return {
    ...{ canvas, cells, columns, plot, scrolled, tip },
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
      count = { rows: labels[0].length - 1, columns: names.length };
      labelAxes(labels, names, measure);
      place();
      return layout;
    },

    /** The cell at the canvas's corner. */
    corner: () => drawn,

    /** @param {NonNullable<typeof draw>} how  of a matrix of many tokens a part alone, and again whenever another comes into sight */
    paint(how) {
      draw = how;
      paint();
    },

    /**
     * @param {import("../../draw/marks.js").Marks} marks
     * @param {import("../../draw/paint.js").Inks} inks
     * @param {(brush: CanvasRenderingContext2D, grid: Grid) => void} [under]  draws below the marks
     */
    mark(marks, inks, under) {
      if (!brush || !grid) return;
      markAgain = () => this.mark(marks, inks, under);
      brush.fillStyle = inks.paper;
      brush.fillRect(0, 0, canvas.width, canvas.height);
      brush.drawImage(picture, 0, 0);
      under?.(brush, grid);
      paintMarks(brush, grid, marks, inks);
    },
  };
}
