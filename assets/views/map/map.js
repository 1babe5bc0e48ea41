/**
 * Numbers of rows × columns as a picture with labelled axes, a legend and a table: what an analysis
 * draws. The cells are painted once; pointing, walking and stepping only mark them.
 */

import { axisLabels, labelMarker, measureIn } from "../../draw/axes.js";
import { layoutMatrix } from "../../draw/layout.js";
import { paintMap } from "../../draw/map.js";
import { paintMarks } from "../../draw/marks.js";
import { inksOf } from "../../draw/paint.js";
import { scaleGradient, scaleOf } from "../../draw/scale.js";
import { h } from "../../kit/dom.js";
import { walkMap } from "./cells.js";
import { mapTable } from "./table.js";

/** In CSS pixels: a row is so high at most, and all of them together with their labels. */
const ROW = { most: 30, labels: 90, together: 640 };

/** @typedef {import("./drawn.js").Drawn} Drawn */

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (drawn: Drawn) => void}}
 */
export function mapView(context) {
  const { store, actions, watch } = context;
  const canvas = h("canvas", { role: "img" });
  const tip = h("p", { class: "tip", hidden: true });
  const cells = h("div", { class: "cells", role: "application", tabindex: 0 }, canvas);
  const columns = h("div", { class: "axis columns" });
  const over = h("span", { class: "axis-title over-columns" });
  const plot = h("div", { class: "plot" });
  const legend = h("p", { class: "map-scale quiet" });
  const table = mapTable(context);
  const view = h("div", { class: "map matrix" }, plot, legend, table.element);
  const picture = new OffscreenCanvas(1, 1);
  const brush = canvas.getContext("2d", { alpha: false });

  /** @type {Drawn | undefined} */
  let drawn;
  /** @type {HTMLElement[]} */
  let rows = [];
  /** @type {import("../../draw/paint.js").Grid | undefined} */
  let grid;
  /** @type {import("../../draw/layout.js").Layout | undefined} */
  let layout;
  /** @type {HTMLElement | null} */
  let beside = null;
  /** @type {((indices: number[], every: number) => void)[]} */
  let markRows = [];
  const markColumns = labelMarker(columns, "under", "beside");

  function layOut() {
    if (!drawn || view.clientWidth === 0) return;
    const { numbers, rows: labels, columns: names } = drawn;
    if (!numbers.rows || !numbers.columns) return;
    const room = beside ? beside.offsetWidth + 8 : 0;
    const height = Math.min(ROW.together, ROW.labels + numbers.rows * ROW.most);
    const measure = measureIn(view);
    layout = layoutMatrix(
      { width: view.clientWidth - room, height, zoom: 1, type: "chief" },
      labels.map(([heading, tokens]) => [heading, ...tokens]),
      names,
      measure,
    );
    for (const [name, size] of Object.entries({
      "--cell-width": layout.cellWidth,
      "--cell-height": layout.cellHeight,
      "--row-label": layout.rowLabel,
      "--column-label": layout.columnLabel,
      "--font": layout.font,
      "--heading-font": layout.headingFont,
    })) {
      plot.style.setProperty(name, `${size}px`);
    }
    columns.replaceChildren(...axisLabels(names, layout, "column", measure));
    for (const [i, axis] of rows.entries()) {
      axis.replaceChildren(
        ...axisLabels(labels[i][1], layout, "row", measure).map((label, row) => {
          const [first] = drawn?.steps?.[row] ?? [];
          if (first !== undefined) label.addEventListener("click", () => actions.goTo(first));
          return label;
        }),
      );
    }
    plot.classList.toggle("thin", layout.cellHeight < 14);
    paint();
  }

  function paint() {
    if (!drawn || !layout) return;
    const { theme } = store.get();
    const scale = scaleOf(drawn.numbers, drawn.most);
    grid = paintMap(picture, drawn.numbers, layout, scale, theme, inksOf(theme, view));
    canvas.width = picture.width;
    canvas.height = picture.height;
    const least = scale.signed ? drawn.text(-scale.most) : drawn.text(0);
    legend.replaceChildren(
      least,
      h("span", { class: "bar", style: `background: ${scaleGradient(scale, theme)}` }),
      `${drawn.text(scale.most)} ${drawn.unit}`,
    );
    mark();
  }

  function mark() {
    if (!brush || !grid || !drawn || !layout) return;
    const { theme, step, hiding } = store.get();
    const inks = inksOf(theme, view);
    brush.fillStyle = inks.paper;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(picture, 0, 0);
    const pointed = walk.pointed();
    const current = (drawn.steps ?? []).filter(([first]) => first <= step).length - 1;
    const now = current >= 0 && (hiding || drawn.steps?.[current].includes(step));
    const marks = {
      step: now ? current : null,
      bare: !hiding,
      lines: { rows: [], columns: [] },
      pointed: pointed && { query: pointed.row, key: pointed.column },
    };
    const { marked, numbers } = drawn;
    const seen = drawn.steps && hiding ? current + 1 : numbers.rows;
    if (marked) dot(brush, grid, { ...numbers, rows: seen }, marked, inks);
    paintMarks(brush, grid, marks, inks);
    for (const [i, under] of markRows.entries()) {
      under(pointed ? [pointed.row] : [], layout.everyRow);
      for (const [row, label] of [...rows[i].children].entries()) {
        label.classList.toggle("current", drawn.steps?.[row].includes(step) ?? false);
        label.classList.toggle("ahead", ahead(row));
      }
    }
    markColumns(pointed ? [pointed.column] : [], layout.everyColumn);
    for (const [column, label] of [...columns.children].entries()) {
      label.classList.toggle("ahead", drawn.read === true && hiding && column > step);
    }
    for (const [row, item] of [...(beside?.children ?? [])].entries()) {
      item.classList.toggle("ahead", ahead(row));
    }
  }

  /** @param {number} row */
  function ahead(row) {
    const { step, hiding } = store.get();
    return hiding && (drawn?.steps?.[row][0] ?? 0) > step;
  }

  const walk = walkMap(context, {
    ...{ canvas, cells, tip, ahead, mark },
    drawn: () => drawn,
    layout: () => layout,
  });
  view.append(walk.spoken);
  watch(["theme"], paint);
  watch(["step", "hiding"], mark);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);

  return {
    element: view,
    show(next) {
      drawn = next;
      const { numbers } = next;
      over.textContent = next.heading;
      rows = next.rows.map((_, i) => h("div", { class: `axis rows${i ? " second" : ""}` }));
      markRows = rows.map((axis) => labelMarker(axis, "under", "beside"));
      beside = next.beside ? h("div", { class: "beside-rows" }, ...next.beside.cells) : null;
      plot.replaceChildren(
        over,
        ...next.rows.map(([heading], i) =>
          h("span", { class: `axis-title ${i ? "over-second" : "over-rows"}` }, heading),
        ),
        ...(next.beside ? [h("div", { class: "over-beside" }, next.beside.heading)] : []),
        columns,
        ...rows,
        cells,
        ...(beside ? [beside] : []),
        tip,
      );
      plot.style.setProperty("--label-columns", String(rows.length));
      plot.style.setProperty("--rows", String(numbers.rows));
      plot.style.setProperty("--columns", String(numbers.columns));
      canvas.ariaLabel = next.name;
      cells.ariaLabel = context.t("cells.name", { head: next.name });
      walk.forget();
      table.show(next);
      layOut();
    },
  };
}

/**
 * @param {CanvasRenderingContext2D} brush
 * @param {import("../../draw/paint.js").Grid} grid
 * @param {{rows: number, columns: number}} size
 * @param {(row: number, column: number) => boolean} marked
 * @param {import("../../draw/paint.js").Inks} inks
 */
function dot(brush, { ratio, x, y }, { rows, columns }, marked, inks) {
  brush.fillStyle = inks.paper;
  brush.strokeStyle = inks.ink;
  brush.lineWidth = 1.5 * ratio;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (!marked(row, column)) continue;
      brush.beginPath();
      const [middle, height] = [(x(column) + x(column + 1)) / 2, (y(row) + y(row + 1)) / 2];
      brush.arc(middle, height, 5 * ratio, 0, 2 * Math.PI);
      brush.fill();
      brush.stroke();
    }
  }
}
