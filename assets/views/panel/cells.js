/** Pointing at a matrix's cells, and walking them: their labels light up, their weight is told. */

import { labelMarker } from "../../draw/axes.js";
import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { weightText } from "../../kit/numbers.js";
import { sharingPoint } from "../../parts/grid/sight.js";
import { placeTip, revealCell, walkGrid } from "../../parts/grid/walking.js";
import { showArithmetic } from "../../parts/reveal.js";
import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/choice.js";
import {
  decodes,
  hiddenBecause,
  isMasked,
  isStep,
  keyTokens,
  queryTokens,
} from "../../trace/kinds.js";
import { SINK, sinkColumns } from "../../trace/sinks.js";
import { headWeights, isHere, isOff, maskAt, sinkOf } from "../../trace/weights.js";

/** @typedef {import("../../state/state.js").State} State */
/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("../../parts/grid/walking.js").Place} Place */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {import("../../parts/grid/grid.js").GridView} grid
 * @param {() => Choice | undefined} choice  undefined: nothing is shown
 * @returns {HTMLElement}  what a screen reader speaks
 */
export function pointAtCells({ store, actions, served, t, watch }, kind, grid, choice) {
  const { canvas, columns, scrolled, tip } = grid;
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  /** Whether anybody tells how a weight came about. */
  const tells = () => served && !store.get().trace?.guest;

  /** Columns before the first key. */
  const shift = () => {
    const weights = store.get().trace?.weights[kind];
    return weights ? sinkColumns(weights) : 0;
  };

  /** @type {(trace: import("../../trace/trace.js").Trace, key: number) => string} */
  const keyName = (trace, key) => (key === SINK ? t("axis.sink") : keyTokens(trace, kind)[key]);

  /** @type {(place: Place) => import("../../trace/choice.js").Cell | null} */
  function cellAt({ row, column }) {
    const chosen = choice();
    return chosen ? { kind, ...chosen, query: row, key: Math.max(SINK, column - shift()) } : null;
  }

  /**
   * The weight of a cell at the current step, or why there is none.
   *
   * @type {(cell: {query: number, key: number}, digits: number) => string}
   */
  function said({ query, key }, digits) {
    const { trace, step } = store.get();
    const [weights, chosen] = [trace?.weights[kind], choice()];
    if (!weights || !chosen) return "";
    if (key === SINK) return weightText(sinkOf(weights, chosen)?.[query] ?? 0, { digits });
    const hidden = hiddenBecause({ kind, query, key }, step, maskAt(weights, chosen));
    if (hidden) return t(`tip.${hidden}`);
    if (!isHere(weights, chosen)) return "…";
    const values = headWeights(weights, chosen);
    const off = isOff(values, query, weights.keys);
    return weightText(values[query * weights.keys + key], { digits, off });
  }

  /**
   * Of the cells that share a point the one that is drawn there: the strongest.
   *
   * @param {Place} place
   */
  function drawnAt(place) {
    const [weights, chosen, layout] = [store.get().trace?.weights[kind], choice(), grid.layout()];
    if (!weights || !chosen || !layout?.many) return place;
    const { row, rows, column, columns } = sharingPoint(
      place,
      grid.part(),
      layout,
      devicePixelRatio,
    );
    if (rows * columns === 1 || !isHere(weights, chosen)) return place;
    const [values, causal] = [headWeights(weights, chosen), maskAt(weights, chosen)];
    let [best, most] = [place, -1];
    for (let query = row; query < row + rows; query++) {
      for (let key = column - shift(); key < column - shift() + columns; key++) {
        if (key < 0 || key >= weights.keys || isMasked(kind, query, key, causal)) continue;
        const weight = values[query * weights.keys + key];
        if (weight > most) [best, most] = [{ row: query, column: key + shift() }, weight];
      }
    }
    return best;
  }

  /** @param {Place | null} place */
  function point(place) {
    const { hover } = store.get();
    const cell = place && cellAt(drawnAt(place));
    const same = hover?.kind === kind && hover.query === cell?.query && hover.key === cell.key;
    if (!cell || !same || !sameHead(hover, cell)) actions.point(cell);
  }

  walkGrid(grid, {
    size() {
      const weights = store.get().trace?.weights[kind];
      return weights && choice()
        ? { rows: weights.queries, columns: weights.keys + shift() }
        : undefined;
    },
    point,
    press: point,
    click(place) {
      point(place);
      const { hover } = store.get();
      if (tells() && hover && hover.key !== SINK) showArithmetic(actions, hover);
    },
    /** The cell pointed at or worked out here, else the current row's first. */
    start() {
      const { hover, picked, step } = store.get();
      for (const cell of [hover, picked]) {
        if (cell?.kind === kind && sameHead(cell, choice())) {
          return { row: cell.query, column: cell.key + shift() };
        }
      }
      const { trace } = store.get();
      return { row: trace && isStep(trace, kind) ? step : 0, column: 0 };
    },
    walk(place) {
      const { trace, picked } = store.get();
      const cell = cellAt(place);
      if (!trace || !cell) return;
      revealCell(grid, place);
      actions.point(cell);
      // What is worked out walks along.
      if (picked?.kind === kind) actions.pick(cell);
      spoken.textContent = t(decodes(kind) ? "spoken.decoder" : "spoken.encoder", {
        query: plainToken(queryTokens(trace, kind)[cell.query]),
        key: plainToken(keyName(trace, cell.key)),
        weight: said(cell, 2),
      });
    },
    leave() {
      spoken.textContent = "";
      actions.point(null);
    },
    enter() {
      const cell = cellAt(this.start());
      if (tells() && cell && cell.key !== SINK) showArithmetic(actions, cell);
    },
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

  const lightRows = grid.rows().map((axis) => labelMarker(axis, "under", "beside"));
  const lightColumns = labelMarker(columns, "under", "beside");

  watch(["hover", "token"], (state) => {
    const layout = grid.layout();
    if (!choice() || !layout) return;
    const light = crosshair(kind, state);
    for (const mark of lightRows) mark(light.rows, layout.everyRow);
    lightColumns(
      light.columns.map((key) => key + shift()),
      layout.everyColumn,
    );
  });

  /** @type {(trace: import("../../trace/trace.js").Trace, query: number) => string} */
  function tipOf({ tgt_out }, query) {
    if (!decodes(kind)) return t("tip.encoder");
    return tgt_out[query] ? t("tip.decoder") : t("tip.reads");
  }

  watch(["hover", "step"], ({ trace, hover }) => {
    const chosen = choice();
    const here = hover?.kind === kind && trace?.weights[kind] && chosen && grid.layout();
    if (tip.hidden && !here) return;
    tip.hidden = !here;
    if (!here) return;
    const { query, key } = hover;
    const number = h("strong", {}, said(hover, 3));
    // Beside the matrix that is pointed at, the others tell their number of the same cell.
    const words = sameHead(hover, chosen)
      ? fill(tipOf(trace, query), {
          query: tokenNode(queryTokens(trace, kind)[query]),
          predicts: tokenNode(trace.tgt_out[query] ?? ""),
          key: tokenNode(keyName(trace, key)),
          weight: number,
        })
      : [number];
    tip.replaceChildren(...words);
    // What scrolls would scroll away a tip over the column's label.
    const { scrolls } = here;
    const { left, top } = scrolls ? scrolled : { left: 0, top: 0 };
    placeTip(grid, { row: query, column: key + shift() }, { left, top, over: !scrolls });
  });
  return spoken;
}
