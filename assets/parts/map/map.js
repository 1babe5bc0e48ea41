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
import { isRowAhead, mapMarks } from "./marks.js";
import { mapTable } from "./table.js";

/** Heights at most, in CSS pixels, of a row, and of all of them together with their labels. */
const ROW = { most: 22, labels: 90, together: 640 };

/** @import { Drawn } from "./drawn.js" */

/**
 * A map: empty at first; `show` draws numbers [row, column] in place of those before.
 *
 * @param {import("../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (drawn: Drawn) => void}}
 */
export function mapView(context) {
  const { store, actions, watch } = context;
  const grid = gridView();
  const { canvas, cells, columns, plot } = grid;
  const legend = h("p", { class: "abreast map-scale quiet" });
  const table = mapTable(context);
  const view = h("div", { class: "map matrix" }, plot, legend, table.element);

  /** @type {Drawn | undefined} */
  let drawn;
  /** @type {HTMLElement | null} */
  let beside = null;
  /** @type {((indices: number[], every: number) => void)[]} */
  let markRows = [];
  /** @type {typeof markRows} */
  let markSteps = [];
  const markColumns = labelMarker(columns, "under", "beside");

  function layOut() {
    if (!drawn || view.clientWidth === 0) return;
    const { numbers, rows: labels, columns: names } = drawn;
    if (!numbers.rows || !numbers.columns) return;
    const room = beside ? beside.offsetWidth + 8 : 0;
    view.style.setProperty("--beside", `${beside?.offsetWidth ?? 0}px`);
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
    legend.replaceChildren(...legendOf(drawn, scale, theme));
    mark();
  }

  function mark() {
    const layout = grid.layout();
    if (!drawn || !layout) return;
    const state = store.get();
    const inks = inksOf(state.theme, view);
    const pointed = walk.pointed();
    const { marks, seen } = mapMarks(drawn, state, pointed);
    const { marked, numbers } = drawn;
    grid.mark(marks, inks, (brush, edges) => {
      if (marked) dot(brush, edges, { ...numbers, rows: seen }, marked, inks);
    });
    for (const under of markRows) under(pointed ? [pointed.row] : [], layout.everyRow);
    markColumns(pointed ? [pointed.column] : [], layout.everyColumn);
    for (const current of markSteps) current(rowsOfStep(drawn, state.step), layout.everyRow);
    veilLabels(drawn, state, { rows: grid.rows(), columns, beside });
  }

  const walk = walkMap(context, grid, {
    ahead: (row) => isRowAhead(drawn, row, store.get()),
    mark,
    drawn: () => drawn,
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
      beside = next.beside ? h("div", { class: "beside-rows" }, ...next.beside.cells) : null;
      const rows = next.rows.map(([heading]) => heading);
      const over = h("div", { class: "over-beside" }, next.beside?.heading ?? "");
      grid.setAxes(next.heading, rows, null, beside ? [over, beside] : []);
      markRows = grid.rows().map((axis) => labelMarker(axis, "under", "beside"));
      markSteps = grid.rows().map((axis) => labelMarker(axis, "current", "yields"));
      canvas.ariaLabel = next.name;
      cells.ariaLabel = context.t("cells.name", { head: next.name });
      walk.forget();
      table.show(next);
      layOut();
    },
  };
}

/** The rows that are about a step. @type {(drawn: Drawn, step: number) => number[]} */
const rowsOfStep = ({ steps = [] }, step) =>
  steps.flatMap((own, row) => (own.includes(step) ? [row] : []));

/** The least number, the colours and the largest one. @type {(drawn: Drawn, scale: ReturnType<typeof scaleOf>, theme: import("../../state/state.js").State["theme"]) => (Node | string)[]} */
function legendOf({ text, unit }, scale, theme) {
  return [
    text(scale.signed ? -scale.most : 0),
    h("span", { class: "bar", style: `background: ${scaleGradient(scale, theme)}` }),
    `${text(scale.most)} ${unit}`,
  ];
}

/**
 * Veils what stands beside rows whose step is still to come.
 *
 * @param {Drawn} drawn
 * @param {import("../../state/state.js").State} state
 * @param {{rows: HTMLElement[], columns: HTMLElement, beside: HTMLElement | null}} labels
 */
function veilLabels(drawn, state, { rows, columns, beside }) {
  const { step, hiding } = state;
  for (const axis of rows) {
    for (const [row, label] of [...axis.children].entries()) {
      label.classList.toggle("ahead", isRowAhead(drawn, row, state));
    }
  }
  for (const [column, label] of [...columns.children].entries()) {
    label.classList.toggle("ahead", drawn.read === true && hiding && column > step);
  }
  for (const [row, item] of [...(beside?.children ?? [])].entries()) {
    item.classList.toggle("ahead", isRowAhead(drawn, row, state));
  }
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
