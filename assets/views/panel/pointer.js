/** Pointing at a cell of a matrix: its labels, and its weight in words. */

import { labelMarker } from "../../draw/axes.js";
import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { weightText } from "../../kit/numbers.js";
import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/heads.js";
import { decodes, hiddenBecause, keyTokens, queryTokens } from "../../trace/kinds.js";
import { headWeights, isOff } from "../../trace/weights.js";
import { showArithmetic } from "../tabs/reveal.js";

/** Between a zoomed cell and its tip, and what the tip needs above, in CSS pixels. */
const TIP = { distance: 8, room: 40 };

/** @typedef {import("../../state/state.js").State} State */

/**
 * @typedef {object} Matrix
 * @property {HTMLElement} plot  what scrolls when it is zoomed
 * @property {HTMLElement} cells
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} tip
 * @property {HTMLElement[]} rows  each column of row labels
 * @property {HTMLElement} columns
 * @property {() => import("../../trace/heads.js").Choice | undefined} choice  undefined: nothing is shown
 * @property {() => import("../../draw/layout.js").Layout | undefined} layout  undefined until it is laid out
 */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {Matrix} matrix
 */
export function followPointer({ store, actions, ask, t, watch }, kind, matrix) {
  const { plot, canvas, tip, rows, columns, choice } = matrix;

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
    if (ask && hover && read) showArithmetic(actions, hover);
  });
  // A finger that is lifted leaves too, but its cell is still to be read.
  canvas.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") actions.point(null);
  });

  // It is, until the next touch elsewhere: nothing stays faded around a cell nobody reads.
  /** @param {PointerEvent} event */
  function touchElsewhere({ pointerType, target }) {
    if (!canvas.isConnected) document.removeEventListener("pointerdown", touchElsewhere);
    const { hover } = store.get();
    const elsewhere = pointerType === "touch" && !canvas.contains(/** @type {Node} */ (target));
    if (elsewhere && hover?.kind === kind && sameHead(hover, choice())) actions.point(null);
  }
  document.addEventListener("pointerdown", touchElsewhere);

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

    const values = headWeights(weights, chosen);
    const off = isOff(values, query, weights.keys);
    const weight = weightText(values[query * weights.keys + key], { off });
    const hidden = hiddenBecause(hover, step, weights.causal);
    const number = h("strong", {}, hidden ? t(`tip.${hidden}`) : weight);
    // Beside the matrix that is pointed at, the others tell their number of the same cell.
    const words = sameHead(hover, chosen)
      ? fill(t(decodes(kind) ? "tip.decoder" : "tip.encoder"), {
          query: tokenNode(queryTokens(trace, kind)[query]),
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
    // Over the column's label, where it covers no cell; what is zoomed would scroll it away there.
    let [y, lift] = [-layout.columnLabel, 100];
    if (zoomed) {
      const below = above < top + TIP.room;
      [y, lift] = below ? [above + cellHeight + 2 * TIP.distance, 0] : [above, 100];
    }
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
