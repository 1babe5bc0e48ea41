/** One head as a large matrix with labels. Its cells are painted once; a step only marks them anew. */

import { labelMarker } from "../../draw/axes.js";
import { paintSink, paintVeil } from "../../draw/marks.js";
import { inksOf, paintMatrix } from "../../draw/paint.js";
import { paintPart } from "../../draw/paint_part.js";
import { figureTitle, headTitle, rowHeadings, shownName } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { gridView } from "../../parts/grid/grid.js";
import { amongPair } from "../../state/pair.js";
import { shownHeads } from "../../state/shown_heads.js";
import { haveChanged } from "../../state/store.js";
import { decodes, isStep, keyTokens, rowLabels } from "../../trace/kinds.js";
import { shownMatrix, sinkColumns } from "../../trace/sinks.js";
import { previewOf } from "../../trace/thumbnails.js";
import { isHere, strongestKey } from "../../trace/weights.js";
import { pointAtCells } from "./cells.js";
import { headTitleView } from "./head_title.js";
import { matrixMarks } from "./shown_cells.js";
import { zoomByGesture } from "./zoom.js";
import { zoomBar } from "./zoom_bar.js";

/** Below a matrix that fits the window, in CSS pixels; above it, for the title of its columns. */
const MARGIN = 40;

/** Height of a large matrix at least, in CSS pixels. */
const LEAST = 150;

/** Likewise beside a lesson, which scrolls to what it is about. */
const LEAST_BESIDE = 240;

/** Height at most, in CSS pixels, of a matrix that others stand beside: no long text pushes on. */
const SMALL = 420;

/** @import { Context } from "../../state/actions.js" */
/** @import { State } from "../../state/state.js" */
/** @import { GridView } from "../../parts/grid/grid.js" */
/** @import { Room } from "../../draw/layout.js" */
/** @import { Choice } from "../../trace/choice.js" */
/** @import { Kind } from "../../trace/kinds.js" */

/**
 * @param {Context} context
 * @param {Kind} kind
 * @param {number} slot  its place among the heads that the panel shows
 * @param {(layout: import("../../draw/layout.js").Layout) => void} onLayout
 */
export function matrixView(context, kind, slot, onLayout) {
  const { store, t, watch } = context;
  const headings = rowHeadings(t, kind);
  const choice = () => shownHeads(store.get(), kind)[slot];

  const title = headTitleView(context, kind, choice);
  const grid = gridView();
  const { plot } = grid;
  grid.setAxes(t("axis.keys"), headings, decodes(kind) ? null : "token");
  const zoom = zoomByGesture(context, kind, grid);
  const bar = zoomBar(context, {
    by: (factor) => zoom.by(factor, atHand()),
    fit: () => context.actions.setZoom(kind, 1),
  });
  const view = h("div", { class: `matrix ${kind}` }, title.element, bar.element, plot);

  /** The strongest cell of the row at hand. */
  function atHand() {
    const { trace, step } = store.get();
    const [weights, chosen] = [trace?.weights[kind], choice()];
    const row = trace && isStep(trace, kind) ? step : 0;
    if (!weights || !chosen) return { row, column: 0 };
    return { row, column: sinkColumns(weights) + strongestKey(weights, chosen, row) };
  }

  const roomChanged = haveChanged();

  function layOut() {
    const state = store.get();
    const { trace } = state;
    const weights = trace?.weights[kind];
    if (!weights || !choice() || view.clientWidth === 0) return;
    const room = roomOf(state, kind, view, plot);
    const sinks = Array.from({ length: sinkColumns(weights) }, (_, i) => (i ? "" : t("axis.sink")));
    const keys = [...sinks, ...keyTokens(trace, kind)];
    if (!roomChanged(trace, JSON.stringify(room))) return;
    const labels = rowLabels(trace, kind).map((tokens, i) => [headings[i], ...tokens]);
    const layout = grid.layOut(room, labels, keys);
    view.classList.toggle("zoomed", layout.scrolls);
    view.classList.toggle("many", layout.many ?? false);
    onLayout(layout);
    paint();
    markStep();
  }

  const cellsChanged = haveChanged();
  let painted = 0;

  function paint() {
    const { trace, theme, coloring } = store.get();
    const weights = trace?.weights[kind];
    const [chosen, layout] = [choice(), grid.layout()];
    if (!weights || !chosen || !layout) return;
    const here = isHere(weights, chosen);
    if (cellsChanged(weights, chosen.layer, chosen.head, theme, coloring, layout, here)) {
      painted += 1;
      view.classList.toggle("awaited", !here);
      const name = here ? null : shownName(t, chosen);
      bar.show(layout, store.get().zoom[kind] ?? 1, devicePixelRatio, name);
      const matrix = here ? shownMatrix(weights, kind, chosen) : previewOf(weights, kind, chosen);
      const head = { ...matrix, kind, theme, coloring, ...layout };
      const inks = inksOf(theme, view);
      grid.paint((picture, part) =>
        part ? paintPart(picture, head, part, inks) : paintMatrix(picture, head, inks),
      );
    }
    mark(painted);
  }

  const mark = cellMarker(context, kind, grid, choice, view);
  const markStep = stepMarker(context, kind, grid, choice, zoom.reveal);
  watch(["trace", "heads", "pins"], namer(context, kind, { ...grid, title, view }, choice));
  watch(["trace", "zoom", "presenter", "kind"], layOut);
  watch(["heads", "pins", "theme", "coloring", "step", "hover", "token", "picked", "pair"], paint);
  watch(["arrivals"], paint);
  watch(["step", "hiding"], markStep);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);
  // A window that is made lower leaves a plot as high as it was.
  window.addEventListener("resize", fitWindow);

  function fitWindow() {
    if (view.isConnected) layOut();
    else window.removeEventListener("resize", fitWindow);
  }

  view.append(pointAtCells(context, kind, grid, choice));
  return view;
}

/**
 * Marks what the step and the pointer change, over cells that stay as they were painted.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {GridView} grid
 * @param {() => Choice | undefined} choice
 * @param {HTMLElement} view
 * @returns {(painted: number) => void}  `painted`: how often the cells were painted
 */
function cellMarker({ store }, kind, grid, choice, view) {
  const marksChanged = haveChanged();
  return (painted) => {
    const state = store.get();
    const marks = matrixMarks(state, kind, choice());
    const { theme, hover, token, picked, pair } = state;
    // Of three matrices one has another head, and nothing has changed in the others.
    if (!marksChanged(painted, marks.step, hover, token, picked, pair)) return;
    const weights = state.trace?.weights[kind];
    const shift = weights ? sinkColumns(weights) : 0;
    const inks = inksOf(theme, view);
    const among = amongPair(state, kind);
    const { queries = 0, keys = 0 } = weights ?? {};
    grid.mark(marks, inks, (brush, cells) => {
      if (shift) paintSink(brush, cells, shift, inks);
      if (among) paintVeil(brush, cells, { queries, keys, shift }, among, inks);
    });
  };
}

/**
 * Names the head that is shown. Names wait for no room to paint in: who reads with their ears may be
 * there before it.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {Pick<GridView, "canvas" | "cells"> & {title: ReturnType<typeof headTitleView>, view: HTMLElement}} parts
 * @param {() => Choice | undefined} choice
 */
function namer({ store, t }, kind, { canvas, cells, title, view }, choice) {
  const namesChanged = haveChanged();
  return () => {
    const chosen = choice();
    view.hidden = !chosen;
    if (!chosen) return;
    const { trace, pins } = store.get();
    if (!namesChanged(trace, chosen.layer, chosen.head, pins[kind])) return;
    title.showHead(chosen);
    title.showPin(chosen);
    canvas.ariaLabel = figureTitle(t, kind, chosen);
    cells.ariaLabel = t("cells.name", { head: headTitle(t, chosen) });
  };
}

/**
 * Marks the labels of the row at hand, and brings it into sight.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {GridView} grid
 * @param {() => Choice | undefined} choice
 * @param {(row: number) => void} reveal
 */
function stepMarker({ store }, kind, grid, choice, reveal) {
  const markRows = grid.rows().map((axis) => labelMarker(axis, "current", "yields"));
  let veiled = false;

  /** Labels of tokens that are not written yet at the step, as long as these are hidden. */
  function veilLabels() {
    const { hiding, step } = store.get();
    if (!decodes(kind) || !(hiding || veiled)) return;
    veiled = hiding;
    const axes = kind === "decoder_self" ? [...grid.rows(), grid.columns] : grid.rows();
    for (const axis of axes) {
      for (const [i, label] of [...axis.children].entries()) {
        label.classList.toggle("ahead", hiding && i > step);
      }
    }
  }

  return () => {
    const { trace, step } = store.get();
    if (!trace || !isStep(trace, kind) || !choice()) return;
    veilLabels();
    for (const mark of markRows) mark([step], grid.layout()?.everyRow ?? 1);
    reveal(step);
  };
}

/**
 * The room that a matrix has in a panel, and how large its labels are.
 *
 * @type {(state: State, kind: Kind, view: HTMLElement, plot: HTMLElement) => Room}
 */
function roomOf({ zoom, presenter, pins }, kind, view, plot) {
  const several = Boolean(pins[kind]?.length);
  return {
    width: view.clientWidth,
    height: several ? SMALL : below(plot),
    zoom: zoom[kind] ?? 1,
    type: presenter ? (projector.matches ? "projected" : "large") : several ? "normal" : "chief",
  };
}

/** Where what is beside the matrix on a desk stands below it, as in the style sheets. */
const narrow = matchMedia("(width < 1000px)");

/** Where all that is presented is read from eight metres, likewise. */
const projector = matchMedia("(width >= 1500px) and (height >= 900px)");

/**
 * How much of the window is left for a plot; where one scrolls, between the steps, which stay, and
 * the window's end, if the tokens are to be seen with it.
 *
 * @param {HTMLElement} plot
 */
function below(plot) {
  const { top } = plot.getBoundingClientRect();
  const [steps, board] = [".steps", ".board"].map((name) =>
    plot.closest(".stage")?.querySelector(name)?.getBoundingClientRect(),
  );
  const above =
    narrow.matches && steps && board ? steps.height + top - board.top : top + window.scrollY;
  const least = document.querySelector(".touring") ? LEAST_BESIDE : LEAST;
  return Math.max(least, window.innerHeight - above - MARGIN);
}
