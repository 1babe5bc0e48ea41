/** One head as a large matrix with labels. Its cells are painted once; a step only marks them anew. */

import { axisLabels, labelMarker, measureIn } from "../../draw/axes.js";
import { layoutMatrix } from "../../draw/layout.js";
import { paintMarks } from "../../draw/marks.js";
import { inksOf, paintMatrix } from "../../draw/paint.js";
import { figureTitle, headTitle, rowHeadings } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { shownHeads } from "../../state/heads.js";
import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/heads.js";
import { decodes, keyTokens, rowLabels } from "../../trace/kinds.js";
import { headWeights } from "../../trace/weights.js";
import { walkCells } from "./cell_navigation.js";
import { headTitleView } from "./head_title.js";
import { followPointer } from "./pointer.js";
import { zoomByGesture } from "./zoom.js";

/** Below a matrix that fits the window, in CSS pixels; above it, for the title of its columns. */
const MARGIN = 40;

/** So high is a matrix at most that is not the large one, in CSS pixels: no long text pushes on. */
const SMALL = 420;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {number} slot  its place among the heads that the panel shows
 * @param {(layout: import("../../draw/layout.js").Layout) => void} onLayout
 */
export function matrixView(context, kind, slot, onLayout) {
  const { store, t, watch } = context;
  const steps = decodes(kind);
  const headings = rowHeadings(t, kind);
  const choice = () => shownHeads(store.get(), kind)[slot];

  const title = headTitleView(context, kind, choice);
  const canvas = h("canvas", { role: "img" });
  const tip = h("p", { class: "tip", hidden: true });
  const cells = h("div", { class: "cells", role: "application", tabindex: 0 }, canvas);
  const columns = h("div", { class: "axis columns" });
  const rows = headings.map((_, i) => h("div", { class: `axis rows${i ? " second" : ""}` }));
  const plot = h(
    "div",
    { class: "plot" },
    h("span", { class: "axis-title over-columns" }, t("axis.keys")),
    ...headings.map((heading, i) =>
      h(
        "span",
        {
          class: `axis-title ${i ? "over-second" : "over-rows"}`,
          "data-term": steps ? null : "token",
        },
        heading,
      ),
    ),
    columns,
    ...rows,
    cells,
    tip,
  );
  const view = h("div", { class: `matrix ${kind}` }, title.element, plot);

  /** @type {import("../../draw/layout.js").Layout | undefined} */
  let layout;
  /** @type {unknown[]} */
  let laidOut = [];

  function layOut() {
    const { trace, zoom, presenter, kind: large, pins } = store.get();
    const keys = trace?.weights[kind] && keyTokens(trace, kind);
    if (!keys || !choice() || view.clientWidth === 0) return;
    /** @type {import("../../draw/layout.js").Room} */
    const room = {
      width: view.clientWidth,
      height: kind === large && !pins[kind]?.length ? below(plot) : SMALL,
      zoom: zoom[kind] ?? 1,
      type: presenter ? "large" : kind === large ? "chief" : "normal",
    };
    const asked = JSON.stringify(room);
    if (laidOut[0] === trace && laidOut[1] === asked) return;
    laidOut = [trace, asked];
    const queries = rowLabels(trace, kind);
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
    for (const [i, axis] of rows.entries()) {
      axis.replaceChildren(...axisLabels(queries[i], layout, "row", measure));
    }
    onLayout(layout);
    paint();
    markStep();
  }

  const picture = new OffscreenCanvas(1, 1);
  // Opaque: what lies under it need not be put together with it.
  const brush = canvas.getContext("2d", { alpha: false });
  /** @type {unknown[]} */
  let painted = [];
  /** @type {import("../../draw/paint.js").Grid | undefined} */
  let grid;

  function paint() {
    const { trace, theme, coloring } = store.get();
    const weights = trace?.weights[kind];
    const chosen = choice();
    if (!weights || !chosen || !layout) return;
    const inputs = [weights, chosen.layer, chosen.head, theme, coloring, layout];
    if (inputs.some((input, i) => input !== painted[i])) {
      painted = inputs;
      const values = headWeights(weights, chosen);
      const head = { values, ...weights, kind, theme, coloring, ...layout };
      grid = paintMatrix(picture, head, inksOf(theme, view));
      canvas.width = picture.width;
      canvas.height = picture.height;
      const name = headTitle(t, chosen);
      title.showHead(chosen);
      canvas.ariaLabel = figureTitle(t, kind, chosen);
      cells.ariaLabel = t("cells.name", { head: name });
    }
    mark();
  }

  function mark() {
    if (!brush || !grid) return;
    const { theme, step, hover, token, picked } = store.get();
    const asked = picked?.kind === kind && sameHead(picked, choice()) ? picked : null;
    const inks = inksOf(theme, view);
    brush.fillStyle = inks.paper;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(picture, 0, 0);
    const marks = {
      step: steps ? step : null,
      lines: crosshair(kind, { hover, token }),
      pointed: hover?.kind === kind ? hover : asked,
    };
    paintMarks(brush, grid, marks, inks);
  }

  function showPin() {
    const chosen = choice();
    view.hidden = !chosen;
    if (chosen) title.showPin(chosen);
  }

  const markRows = rows.map((axis) => labelMarker(axis, "current", "yields"));

  let veiled = false;

  /** Labels of tokens that are not written yet at the step, as long as these are hidden. */
  function veilLabels() {
    const { hiding, step } = store.get();
    if (!steps || !(hiding || veiled)) return;
    veiled = hiding;
    const axes = kind === "decoder_self" ? [...rows, columns] : rows;
    for (const axis of axes) {
      for (const [i, label] of [...axis.children].entries()) {
        label.classList.toggle("ahead", hiding && i > step);
      }
    }
  }

  function markStep() {
    if (!steps || !choice()) return;
    const { step } = store.get();
    veilLabels();
    for (const mark of markRows) mark([step], layout?.everyRow ?? 1);
    zoom.reveal(step);
  }

  const zoom = zoomByGesture(context, kind, { plot, cells, layout: () => layout });
  watch(["heads", "pins"], showPin);
  watch(["trace", "zoom", "presenter", "kind"], layOut);
  watch(["heads", "pins", "theme", "coloring", "step", "hover", "token", "picked"], paint);
  watch(["step", "hiding"], markStep);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);
  // A window that is made lower leaves a plot as high as it was.
  window.addEventListener("resize", fitWindow);

  function fitWindow() {
    if (view.isConnected) layOut();
    else window.removeEventListener("resize", fitWindow);
  }

  /** @type {import("./pointer.js").Matrix} */
  const matrix = {
    ...{ plot, cells, canvas, tip, rows, columns, choice },
    layout: () => layout,
  };
  followPointer(context, kind, matrix);
  view.append(walkCells(context, kind, matrix));
  return view;
}

/** Where what is beside the matrix on a desk stands below it, as in the style sheets. */
const narrow = matchMedia("(width < 1000px)");

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
  return Math.max(200, window.innerHeight - above - MARGIN);
}
