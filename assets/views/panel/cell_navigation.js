/** Walking a matrix by arrow keys: one stop for the Tab key, each cell told in words. */

import { plainToken } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { MOVES } from "../../kit/moves.js";
import { weightText } from "../../kit/numbers.js";
import { sameHead } from "../../trace/heads.js";
import { decodes, hiddenBecause, keyTokens, queryTokens } from "../../trace/kinds.js";
import { headWeights, isOff } from "../../trace/weights.js";
import { showArithmetic } from "../tabs/reveal.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {import("./pointer.js").Matrix} matrix
 * @returns {HTMLElement}  what a screen reader speaks
 */
export function walkCells({ store, actions, ask, t }, kind, { cells, plot, choice, layout }) {
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });

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
    // What is worked out walks along.
    if (store.get().picked?.kind === kind) actions.pick({ kind, ...chosen, ...cell });
    const values = headWeights(weights, chosen);
    const off = isOff(values, cell.query, weights.keys);
    const weight = weightText(values[cell.query * weights.keys + cell.key], { digits: 2, off });
    const hidden = hiddenBecause({ kind, ...cell }, step, weights.causal);
    spoken.textContent = t(decodes(kind) ? "spoken.decoder" : "spoken.encoder", {
      query: plainToken(queryTokens(trace, kind)[cell.query]),
      key: plainToken(keyTokens(trace, kind)[cell.key]),
      weight: hidden ? t(`tip.${hidden}`) : weight,
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

  /** The cell that is walked from: the one pointed at or worked out here, else the current row's first. */
  function here() {
    const { hover, picked, step } = store.get();
    for (const cell of [hover, picked]) {
      if (cell?.kind === kind && sameHead(cell, choice())) return cell;
    }
    return { query: decodes(kind) ? step : 0, key: 0 };
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
      if (chosen) showArithmetic(actions, { kind, ...chosen, query, key });
    }
    if (!move) return;
    event.preventDefault(); // The page's own arrow keys step.
    const { query, key } = here();
    goTo(query + move[0], key + move[1]);
  });
  return spoken;
}
