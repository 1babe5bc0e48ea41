/** Pointing at a cell of a matrix: its frame, its lines and labels, and its weight in words. */

import { crosshair } from "./crosshair.js";
import { h, tokenNode } from "./dom.js";
import { sameHead } from "./head.js";
import { fill } from "./i18n.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

const TIP_DISTANCE = 8;

/** @typedef {import("./actions.js").State} State */

/**
 * @typedef {object} Matrix
 * @property {HTMLElement} view
 * @property {HTMLElement} plot  what scrolls when it is zoomed
 * @property {HTMLElement} cells  what the canvas and its overlays share
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} pointed  the frame around a cell
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
  const { view, plot, cells, canvas, pointed, tip, rows, columns, choice } = matrix;
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

  const lines = lightLines(cells);
  /** @type {Element[]} */
  let lit = [];

  watch(["hover", "token"], (state) => {
    const chosen = choice();
    const layout = matrix.layout();
    if (!chosen || !layout) return;
    const light = crosshair(kind, state);
    lines(light, layout);
    for (const label of lit) label.classList.remove("under");
    lit = [
      ...light.columns.flatMap((key) => columns.children[key] ?? []),
      ...rows.flatMap((axis) => light.rows.flatMap((query) => axis.children[query] ?? [])),
    ];
    for (const label of lit) label.classList.add("under");
  });

  watch(["hover", "step"], ({ trace, step, hover }) => {
    const [weights, chosen, layout] = [trace?.weights[kind], choice(), matrix.layout()];
    const here = hover?.kind === kind && trace && weights && chosen && layout;
    if (pointed.hidden && !here) return;
    pointed.hidden = !here;
    tip.hidden = !here;
    if (!here) return;
    const { query, key } = hover;
    const { cellWidth, cellHeight } = layout;
    pointed.style.transform = `translate(${key * cellWidth}px, ${query * cellHeight}px)`;

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
    const [x, y] = [cells.offsetLeft - plot.scrollLeft, cells.offsetTop - plot.scrollTop];
    const middle = x + (key + 0.5) * cellWidth - tip.offsetWidth / 2;
    const left = clamp(middle, view.clientWidth - tip.offsetWidth);
    const above = y + query * cellHeight - tip.offsetHeight - TIP_DISTANCE;
    const below = y + (query + 1) * cellHeight + TIP_DISTANCE;
    const top = above < Math.max(0, y) ? below : above;
    tip.style.transform = `translate(${left}px, ${top}px)`;
  });
}

/**
 * The frames around whole rows and columns: two of each at most, for a source token is on both sides
 * of encoder self-attention.
 *
 * @param {HTMLElement} cells
 * @returns {(light: {rows: number[], columns: number[]}, layout: import("./axes.js").Layout) => void}
 */
function lightLines(cells) {
  const frames = ["row", "row", "column", "column"].map((side) =>
    h("div", { class: `along-${side}`, hidden: true }),
  );
  cells.append(...frames);
  return ({ rows: [row, otherRow], columns: [column, otherColumn] }, layout) => {
    for (const [i, index] of [row, otherRow, column, otherColumn].entries()) {
      const { style } = frames[i];
      frames[i].hidden = index === undefined;
      if (index === undefined) continue;
      style.transform =
        i < 2
          ? `translateY(${index * layout.cellHeight}px)`
          : `translateX(${index * layout.cellWidth}px)`;
    }
  };
}

/**
 * @param {number} value
 * @param {number} most
 */
function clamp(value, most) {
  return Math.max(0, Math.min(most, value));
}
