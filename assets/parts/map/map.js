/**
 * Numbers of rows × columns as a picture with labelled axes, a legend and a table: what an analysis
 * draws. The cells are painted once; pointing, walking and stepping only mark them.
 */

import { labelMarker } from "../../draw/axes.js";
import { paintMap } from "../../draw/map.js";
import { inksOf } from "../../draw/paint.js";
import { scaleGradient, scaleOf } from "../../draw/scale.js";
import { h } from "../../kit/dom.js";
import { gridView } from "../grid/grid.js";
import { walkMap } from "./cells.js";
import { mapTable } from "./table.js";

/** In CSS pixels: a row is so high at most, and all of them together with their labels. */
const ROW = { most: 22, labels: 90, together: 640 };

/** @import { Drawn } from "./drawn.js" */

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (drawn: Drawn) => void}}
 */
export function mapView(context) {
  const { store, actions, watch } = context;
  const grid = gridView();
  const { canvas, cells, columns, plot } = grid;
  const legend = h("p", { class: "map-scale quiet" });
  const table = mapTable(context);
  const view = h("div", { class: "map matrix" }, plot, legend, table.element);

  /** @type {Drawn | undefined} */
  let drawn;
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
    const layout = grid.layOut(
      { width: view.clientWidth - room, height, zoom: 1, type: drawn.named ? "readings" : "map" },
      labels.map(([heading, tokens]) => [heading, ...tokens]),
      names,
    );
    for (const axis of grid.rows()) {
      for (const [row, label] of [...axis.children].entries()) {
        const [first] = drawn.steps?.[row] ?? [];
        if (first !== undefined) label.addEventListener("click", () => actions.goTo(first));
      }
    }
    view.classList.toggle("zoomed", layout.scrolls);
    paint();
  }

  function paint() {
    const layout = grid.layout();
    if (!drawn || !layout) return;
    const { theme } = store.get();
    const { numbers, most } = drawn;
    const scale = scaleOf(numbers, most);
    const inks = inksOf(theme, view);
    grid.paint((picture) => paintMap(picture, numbers, layout, scale, theme, inks));
    const least = scale.signed ? drawn.text(-scale.most) : drawn.text(0);
    legend.replaceChildren(
      least,
      h("span", { class: "bar", style: `background: ${scaleGradient(scale, theme)}` }),
      `${drawn.text(scale.most)} ${drawn.unit}`,
    );
    mark();
  }

  function mark() {
    const layout = grid.layout();
    if (!drawn || !layout) return;
    const { theme, step, hiding } = store.get();
    const inks = inksOf(theme, view);
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
    grid.mark(marks, inks, (brush, edges) => {
      if (marked) dot(brush, edges, { ...numbers, rows: seen }, marked, inks);
    });
    for (const [i, under] of markRows.entries()) {
      under(pointed ? [pointed.row] : [], layout.everyRow);
      for (const [row, label] of [...grid.rows()[i].children].entries()) {
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

  const walk = walkMap(context, grid, { ahead, mark, drawn: () => drawn });
  view.append(walk.spoken);
  watch(["theme"], paint);
  watch(["step", "hiding"], mark);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);

  return {
    element: view,
    show(next) {
      drawn = next;
      beside = next.beside ? h("div", { class: "beside-rows" }, ...next.beside.cells) : null;
      grid.setAxes(
        next.heading,
        next.rows.map(([heading]) => heading),
        null,
        next.beside && beside
          ? [h("div", { class: "over-beside" }, next.beside.heading), beside]
          : [],
      );
      markRows = grid.rows().map((axis) => labelMarker(axis, "under", "beside"));
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
