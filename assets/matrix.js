/** One head as a large matrix with labels. Its cells are painted once; a step only marks them anew. */

import { axisLabels, labelMarker, layoutMatrix, measureIn } from "./axes.js";
import { crosshair } from "./crosshair.js";
import { h, icon } from "./dom.js";
import { headName, headTitle, shownHeads } from "./head.js";
import { isPinned } from "./looking.js";
import { paintMarks } from "./marks.js";
import { inksOf, paintMatrix } from "./paint.js";
import { followPointer } from "./pointer.js";
import { headWeights, keyTokens } from "./trace.js";
import { walkCells } from "./walk.js";
import { zoomByGesture } from "./zoom.js";

/** Below the matrix of a presenter, in CSS pixels; above it, for the title of its columns. */
const MARGIN = 48;

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 * @param {number} slot  its place among the heads that the panel shows
 * @param {(layout: import("./axes.js").Layout) => void} onLayout
 */
export function matrixView(context, kind, slot, onLayout) {
  const { store, actions, t, watch } = context;
  const decodes = kind !== "encoder_self";
  const choice = () => shownHeads(store.get(), kind)[slot];

  const title = h("span", { class: "head-title" });
  const note = h("span", { class: "quiet" });
  const pin = h("button", { type: "button", class: "bare small", click: togglePin }, icon("pin"));
  const canvas = h("canvas", { role: "img" });
  const tip = h("p", { class: "tip", hidden: true });
  const cells = h("div", { class: "cells", role: "application", tabindex: 0 }, canvas);
  const columns = h("div", { class: "axis columns" });
  const rows = h("div", { class: "axis rows" });
  const second = h("div", { class: "axis rows second" });
  const plot = h(
    "div",
    { class: "plot" },
    h("span", { class: "axis-title over-columns" }, t("axis.keys")),
    h("span", { class: "axis-title over-rows" }, t(decodes ? "axis.reads" : "axis.queries")),
    decodes ? h("span", { class: "axis-title over-second" }, t("axis.predicts")) : null,
    columns,
    rows,
    decodes ? second : null,
    cells,
    tip,
  );
  const view = h(
    "div",
    { class: `matrix ${kind}` },
    h("div", { class: "title" }, h("div", {}, title), pin, note),
    plot,
  );

  function togglePin() {
    const chosen = choice();
    if (chosen) actions.togglePin(kind, chosen);
  }

  /** @type {import("./axes.js").Layout | undefined} */
  let layout;
  /** @type {unknown[]} */
  let laidOut = [];

  function layOut() {
    const { trace, zoom, presenter } = store.get();
    const keys = trace?.weights[kind] && keyTokens(trace, kind);
    if (!keys || !choice() || view.clientWidth === 0) return;
    /** @type {import("./axes.js").Room} */
    const room = {
      width: view.clientWidth,
      height: presenter && !store.get().pins[kind]?.length ? below(plot) : Number.POSITIVE_INFINITY,
      zoom: zoom[kind] ?? 1,
      type: presenter ? "large" : "normal",
    };
    const asked = JSON.stringify(room);
    if (laidOut[0] === trace && laidOut[1] === asked) return;
    laidOut = [trace, asked];
    const queries = decodes ? [trace.tgt_in, trace.tgt_out] : [trace.src];
    const headings = decodes ? [t("axis.reads"), t("axis.predicts")] : [t("axis.queries")];
    const labels = queries.map((tokens, i) => [headings[i], ...tokens]);
    const measure = measureIn(view);
    layout = layoutMatrix(room, labels, keys, measure);
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
    plot.style.setProperty("--label-columns", String(queries.length));
    plot.style.setProperty("--rows", String(queries[0].length));
    plot.style.setProperty("--columns", String(keys.length));
    view.classList.toggle("zoomed", room.zoom > 1);
    columns.replaceChildren(...axisLabels(keys, layout, "column", measure));
    rows.replaceChildren(...axisLabels(queries[0], layout, "row", measure));
    if (decodes) second.replaceChildren(...axisLabels(queries[1], layout, "row", measure));
    onLayout(layout);
    paint();
    markStep();
  }

  const picture = new OffscreenCanvas(1, 1);
  // Opaque: what lies under it need not be put together with it.
  const brush = canvas.getContext("2d", { alpha: false });
  /** @type {unknown[]} */
  let painted = [];
  /** @type {import("./paint.js").Grid | undefined} */
  let grid;

  function paint() {
    const { trace, theme, look } = store.get();
    const weights = trace?.weights[kind];
    const chosen = choice();
    if (!weights || !chosen || !layout) return;
    const inputs = [weights, chosen.layer, chosen.head, theme, look, layout];
    if (inputs.some((input, i) => input !== painted[i])) {
      painted = inputs;
      const values = headWeights(weights, chosen.layer, chosen.head);
      const head = { values, ...weights, kind, theme, look, ...layout };
      grid = paintMatrix(picture, head, inksOf(theme, view));
      canvas.width = picture.width;
      canvas.height = picture.height;
      const name = headTitle(t, chosen);
      title.textContent = name;
      title.title = name;
      note.textContent = Object.values(chosen).includes("max") ? t("head.not_a_sum") : "";
      canvas.ariaLabel = `${t(`${kind}.title`)}, ${name}`;
      cells.ariaLabel = t("cells.name", { head: name });
    }
    mark();
  }

  function mark() {
    if (!brush || !grid) return;
    const { theme, step, hover, token } = store.get();
    const inks = inksOf(theme, view);
    brush.fillStyle = inks.paper;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(picture, 0, 0);
    const marks = {
      step: decodes ? step : null,
      lines: crosshair(kind, { hover, token }),
      pointed: hover?.kind === kind ? hover : null,
    };
    paintMarks(brush, grid, marks, inks);
  }

  function showPin() {
    const chosen = choice();
    view.hidden = !chosen;
    if (!chosen) return;
    const pinned = isPinned(store.get(), kind, chosen);
    pin.ariaPressed = String(pinned);
    pin.ariaLabel = t(pinned ? "pin.off" : "pin.on", { head: headName(chosen) });
    pin.title = pin.ariaLabel;
  }

  const markRows = [rows, second].map((axis) => labelMarker(axis, "current", "yields"));

  function markStep() {
    if (!decodes || !choice()) return;
    const { step } = store.get();
    for (const mark of markRows) mark([step], layout?.everyRow ?? 1);
    zoom.reveal(step);
  }

  const zoom = zoomByGesture(context, kind, { plot, cells, layout: () => layout });
  watch(["heads", "pins"], showPin);
  watch(["trace", "zoom", "presenter"], layOut);
  watch(["heads", "pins", "theme", "look", "step", "hover", "token"], paint);
  watch(["step"], markStep);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);

  /** @type {import("./pointer.js").Matrix} */
  const matrix = {
    ...{ plot, cells, canvas, tip, columns, choice },
    rows: decodes ? [rows, second] : [rows],
    layout: () => layout,
  };
  followPointer(context, kind, matrix);
  view.append(walkCells(context, kind, matrix));
  return view;
}

/**
 * How much of the window is left for a plot.
 *
 * @param {HTMLElement} plot
 */
function below(plot) {
  const top = plot.getBoundingClientRect().top + window.scrollY;
  return Math.max(240, window.innerHeight - top - MARGIN);
}
