/** Pointing at a cell of a matrix: its labels, and its weight in words. */

import { labelMarker } from "./axes.js";
import { crosshair } from "./crosshair.js";
import { h, tokenNode } from "./dom.js";
import { sameHead } from "./head.js";
import { fill } from "./i18n.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

/** Between a cell and its tip, and what the tip needs above, in CSS pixels. */
const TIP = { distance: 8, room: 40 };

/** @typedef {import("./actions.js").State} State */

/**
 * @typedef {object} Matrix
 * @property {HTMLElement} plot  what scrolls when it is zoomed
 * @property {HTMLElement} cells
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} tip
 * @property {HTMLElement[]} rows  each column of row labels
 * @property {HTMLElement} columns
 * @property {() => import("./head.js").Choice | undefined} choice  undefined: nothing is shown
 * @property {() => import("./axes.js").Layout | undefined} layout  undefined until it is laid out
 */

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 * @param {Matrix} matrix
 */
export function followPointer({ store, actions, ask, t, watch }, kind, matrix) {
  const { plot, canvas, tip, rows, columns, choice } = matrix;
  const decodes = kind !== "encoder_self";

  /** @param {PointerEvent} event */
  function point({ offsetX, offsetY }) {
    const { trace, hover } = store.get();
    const [weights, layout, chosen] = [trace?.weights[kind], matrix.layout(), choice()];
    if (!weights || !layout || !chosen) return;
    const query = clamp(Math.floor(offsetY / layout.cellHeight), weights.queries - 1);
    const key = clamp(Math.floor(offsetX / layout.cellWidth), weights.keys - 1);
    const same = hover?.kind === kind && hover.query === query && hover.key === key;
    if (!same || !sameHead(hover, chosen)) actions.point({ kind, ...chosen, query, key });
  }
  /** @type {State["hover"]} */
  let before = null;
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", (event) => {
    before = store.get().hover;
    point(event);
  });
  canvas.addEventListener("click", (event) => {
    point(event);
    const { hover } = store.get();
    // A finger cannot point without a tap: its first reads the cell, the next one opens it.
    const read = event.pointerType !== "touch" || hover === before;
    if (ask && hover && read) actions.pick(hover);
  });
  // A finger that is lifted leaves too, but its cell is still to be read.
  canvas.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") actions.point(null);
  });

  const lightRows = rows.map((axis) => labelMarker(axis, "under", "beside"));
  const lightColumns = labelMarker(columns, "under", "beside");

  watch(["hover", "token"], (state) => {
    const layout = matrix.layout();
    if (!choice() || !layout) return;
    const light = crosshair(kind, state);
    for (const mark of lightRows) mark(light.rows, layout.everyRow);
    lightColumns(light.columns, layout.everyColumn);
  });

  watch(["hover", "step"], ({ trace, step, hover, zoom }) => {
    const [weights, chosen, layout] = [trace?.weights[kind], choice(), matrix.layout()];
    const here = hover?.kind === kind && trace && weights && chosen && layout;
    if (tip.hidden && !here) return;
    tip.hidden = !here;
    if (!here) return;
    const { query, key } = hover;
    const { cellWidth, cellHeight } = layout;

    const weight = headWeights(weights, chosen.layer, chosen.head)[query * weights.keys + key];
    const hidden = isMasked(kind, query, key)
      ? t("tip.masked")
      : decodes && query > step
        ? t("tip.ahead")
        : null;
    const number = h("strong", {}, hidden ?? weight.toFixed(3));
    // Beside the matrix that is pointed at, the others tell their number of the same cell.
    const words = sameHead(hover, chosen)
      ? fill(t(decodes ? "tip.decoder" : "tip.encoder"), {
          query: tokenNode((decodes ? trace.tgt_in : trace.src)[query]),
          predicts: tokenNode(trace.tgt_out[query] ?? ""),
          key: tokenNode(keyTokens(trace, kind)[key]),
          weight: number,
        })
      : [number];
    tip.replaceChildren(...words);
    // Its size is not measured: the browser would have to lay the page out, and then again.
    const zoomed = (zoom[kind] ?? 1) > 1;
    const [left, top] = zoomed ? [plot.scrollLeft, plot.scrollTop] : [0, 0];
    const x = rows.length * layout.rowLabel + (key + 0.5) * cellWidth;
    const middle = clamp(x - left, layout.width);
    const share = (100 * middle) / layout.width; // of its own width, so that it never sticks out
    const above = query * cellHeight - TIP.distance;
    const [y, lift] =
      above < top + TIP.room ? [above + cellHeight + 2 * TIP.distance, 0] : [above, 100];
    tip.style.transform = `translate(calc(${left + middle}px - ${share}%), calc(${y}px - ${lift}%))`;
  });
}

/**
 * @param {number} value
 * @param {number} most
 */
function clamp(value, most) {
  return Math.max(0, Math.min(most, value));
}
