/** Pointing at a cell of a matrix: its frame, its labels, and its weight in words. */

import { h, tokenNode } from "./dom.js";
import { fill } from "./i18n.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

const TIP_DISTANCE = 8;

/**
 * @typedef {object} Matrix
 * @property {HTMLElement} view
 * @property {HTMLElement} cells  what the canvas and its overlays share
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} pointed  the frame around a cell
 * @property {HTMLElement} tip
 * @property {HTMLElement[]} rows  each column of row labels
 * @property {HTMLElement} columns
 * @property {() => import("./axes.js").Layout | undefined} layout  undefined until it is laid out
 */

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 * @param {Matrix} matrix
 */
export function followPointer({ store, actions, t, watch }, kind, matrix) {
  const { view, cells, canvas, pointed, tip, rows, columns } = matrix;
  const decodes = kind !== "encoder_self";

  /** @param {PointerEvent} event */
  function point({ offsetX, offsetY }) {
    const { trace, hover, heads } = store.get();
    const [weights, layout, chosen] = [trace?.weights[kind], matrix.layout(), heads[kind]];
    if (!weights || !layout || !chosen) return;
    const query = clamp(Math.floor(offsetY / layout.cellHeight), weights.queries - 1);
    const key = clamp(Math.floor(offsetX / layout.cellWidth), weights.keys - 1);
    if (hover?.kind !== kind || hover.query !== query || hover.key !== key) {
      actions.point({ kind, ...chosen, query, key });
    }
  }
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", () => actions.point(null));

  watch(["hover", "step"], ({ trace, step, heads, hover }) => {
    const [weights, chosen, layout] = [trace?.weights[kind], heads[kind], matrix.layout()];
    const here = hover?.kind === kind && trace && weights && chosen && layout;
    if (pointed.hidden && !here) return;
    pointed.hidden = tip.hidden = !here;
    for (const axis of [columns, ...rows]) {
      axis.querySelector(".under")?.classList.remove("under");
    }
    if (!here) return;
    const { query, key } = hover;
    for (const axis of rows) axis.children[query]?.classList.add("under");
    columns.children[key]?.classList.add("under");

    const weight = headWeights(weights, chosen.layer, chosen.head)[query * weights.keys + key];
    const hidden = isMasked(kind, query, key)
      ? t("tip.masked")
      : decodes && query > step
        ? t("tip.ahead")
        : null;
    tip.replaceChildren(
      ...fill(t(decodes ? "tip.decoder" : "tip.encoder"), {
        query: tokenNode((decodes ? trace.tgt_in : trace.src)[query]),
        predicts: tokenNode(trace.tgt_out[query] ?? ""),
        key: tokenNode(keyTokens(trace, kind)[key]),
        weight: h("strong", {}, hidden ?? weight.toFixed(3)),
      }),
    );
    const { cellWidth, cellHeight } = layout;
    pointed.style.transform = `translate(${key * cellWidth}px, ${query * cellHeight}px)`;
    const middle = cells.offsetLeft + (key + 0.5) * cellWidth - tip.offsetWidth / 2;
    const left = clamp(middle, view.clientWidth - tip.offsetWidth);
    const above = query * cellHeight - tip.offsetHeight - TIP_DISTANCE;
    const below = (query + 1) * cellHeight + TIP_DISTANCE;
    const top = cells.offsetTop + (above < 0 ? below : above);
    tip.style.transform = `translate(${left}px, ${top}px)`;
  });
}

/**
 * @param {number} value
 * @param {number} most
 */
function clamp(value, most) {
  return Math.max(0, Math.min(most, value));
}
