/** Walking a matrix by arrow keys: one stop for the Tab key, each cell told in words. */

import { h, plainToken } from "./dom.js";
import { sameHead } from "./head.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

/** @type {Record<string, [down: number, across: number]>} */
const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 * @param {import("./pointer.js").Matrix} matrix
 * @returns {HTMLElement}  what a screen reader speaks
 */
export function walkCells({ store, actions, ask, t }, kind, { cells, plot, choice, layout }) {
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  const decodes = kind !== "encoder_self";

  /** @type {(query: number, key: number) => void} */
  function goTo(query, key) {
    const { trace, step } = store.get();
    const weights = trace?.weights[kind];
    const chosen = choice();
    if (!weights || !chosen) return;
    const cell = {
      query: Math.min(weights.queries - 1, Math.max(0, query)),
      key: Math.min(weights.keys - 1, Math.max(0, key)),
    };
    reveal(cell);
    actions.point({ kind, ...chosen, ...cell });
    const weight = headWeights(weights, chosen.layer, chosen.head);
    const hidden = isMasked(kind, cell.query, cell.key)
      ? t("tip.masked")
      : decodes && cell.query > step
        ? t("tip.ahead")
        : null;
    spoken.textContent = t(decodes ? "spoken.decoder" : "spoken.encoder", {
      query: plainToken((decodes ? trace.tgt_in : trace.src)[cell.query]),
      key: plainToken(keyTokens(trace, kind)[cell.key]),
      weight: hidden ?? weight[cell.query * weights.keys + cell.key].toFixed(2),
    });
  }

  /**
   * Scrolls a zoomed matrix as far as the cell asks for.
   *
   * @param {{query: number, key: number}} cell
   */
  function reveal({ query, key }) {
    const { cellWidth = 0, cellHeight = 0 } = layout() ?? {};
    const left = key * cellWidth - (plot.clientWidth - cells.offsetLeft - cellWidth);
    const top = query * cellHeight - (plot.clientHeight - cells.offsetTop - cellHeight);
    plot.scrollLeft = Math.min(key * cellWidth, Math.max(left, plot.scrollLeft));
    plot.scrollTop = Math.min(query * cellHeight, Math.max(top, plot.scrollTop));
  }

  /** The cell that is walked from: the one pointed at here, else the current row's first. */
  function here() {
    const { hover, step } = store.get();
    if (hover?.kind === kind && sameHead(hover, choice())) return hover;
    return { query: decodes ? step : 0, key: 0 };
  }

  // Who clicks here does not mean to walk: the arrow keys go on to step.
  cells.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement) activeElement.blur();
  });
  cells.addEventListener("focus", () => {
    if (!cells.matches(":focus-visible")) return;
    const { query, key } = here();
    goTo(query, key);
  });
  cells.addEventListener("blur", () => {
    spoken.textContent = "";
    actions.point(null);
  });
  cells.addEventListener("keydown", (event) => {
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    const move = MOVES[event.key];
    if (modified) return;
    if (event.key === "Escape") {
      event.preventDefault();
      cells.blur();
    }
    if (event.key === "Enter" && ask) {
      const { query, key } = here();
      const chosen = choice();
      if (chosen) actions.pick({ kind, ...chosen, query, key });
    }
    if (!move) return;
    event.preventDefault(); // The page's own arrow keys step.
    const { query, key } = here();
    goTo(query + move[0], key + move[1]);
  });
  return spoken;
}
