/** Pointing at a matrix's cells, and walking them: their labels light up, their weight is told. */

import { labelMarker } from "../../draw/axes.js";
import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { sharingPoint } from "../../parts/grid/sight.js";
import { placeTip, revealCell, walkGrid } from "../../parts/grid/walking.js";
import { showArithmetic } from "../../parts/reveal.js";
import { crosshair } from "../../state/pointing.js";
import { sameHead } from "../../trace/choice.js";
import { decodes, isStep, queryTokens } from "../../trace/kinds.js";
import { SINK, sinkColumns } from "../../trace/sinks.js";
import { isHere } from "../../trace/weights.js";
import { cellText, keyName, strongestIn, tipText } from "./shown_cells.js";

/** @import { Context } from "../../state/actions.js" */
/** @import { GridView } from "../../parts/grid/grid.js" */
/** @import { Place } from "../../parts/grid/walking.js" */
/** @import { Cell, Choice } from "../../trace/choice.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @typedef {ReturnType<typeof matrixCells>} MatrixCells */

/**
 * @param {Context} context
 * @param {Kind} kind
 * @param {GridView} grid
 * @param {() => Choice | undefined} choice  undefined: nothing is shown
 * @returns {HTMLElement}  what a screen reader speaks
 */
export function pointAtCells(context, kind, grid, choice) {
  const cells = matrixCells(context, kind, grid, choice);
  lightLabels(context, kind, grid, cells);
  showTips(context, kind, grid, cells);
  endTouches(context, kind, grid, choice);
  return walkCells(context, kind, grid, cells);
}

/**
 * Places of a grid as cells of the head that it shows: before the first key stands the sink.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {GridView} grid
 * @param {() => Choice | undefined} choice
 */
function matrixCells({ store, actions, t }, kind, grid, choice) {
  const weights = () => store.get().trace?.weights[kind] ?? null;

  /** Columns before the first key. */
  function shift() {
    const shown = weights();
    return shown ? sinkColumns(shown) : 0;
  }

  /** @param {Place} place @returns {Cell | null} */
  function at({ row, column }) {
    const chosen = choice();
    return chosen ? { kind, ...chosen, query: row, key: Math.max(SINK, column - shift()) } : null;
  }

  /** @param {{query: number, key: number}} cell @returns {Place} */
  const placeOf = ({ query, key }) => ({ row: query, column: key + shift() });

  /** The cell that is drawn at a point, of those that share it. @param {Place} place */
  function drawnAt(place) {
    const [whole, chosen, layout] = [weights(), choice(), grid.layout()];
    if (!whole || !chosen || !layout?.many) return place;
    const part = sharingPoint(place, grid.part(), layout, devicePixelRatio);
    if (part.rows * part.columns === 1 || !isHere(whole, chosen)) return place;
    const best = strongestIn(whole, kind, chosen, { ...part, column: part.column - shift() });
    return best ? placeOf(best) : place;
  }

  return {
    choice,
    at,
    placeOf,
    shift,

    size() {
      const whole = weights();
      return whole && choice() ? { rows: whole.queries, columns: whole.keys + shift() } : undefined;
    },

    /** Of the head that is shown here. @type {(cell: {query: number, key: number}, digits: number) => string} */
    text({ query, key }, digits) {
      const [whole, chosen] = [weights(), choice()];
      if (!whole || !chosen) return "";
      return cellText(t, whole, { kind, query, key, ...chosen }, store.get().step, digits);
    },

    /** @param {Place | null} place */
    point(place) {
      const { hover } = store.get();
      const cell = place && at(drawnAt(place));
      const same = hover?.kind === kind && hover.query === cell?.query && hover.key === cell.key;
      if (!cell || !same || !sameHead(hover, cell)) actions.point(cell);
    },
  };
}

/** @type {(context: Context, kind: Kind, grid: GridView, cells: MatrixCells) => HTMLElement} */
function walkCells({ store, actions, served, t }, kind, grid, cells) {
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  /** Whether anybody tells how a weight came about. */
  const tells = () => served && !store.get().trace?.guest;

  walkGrid(grid, {
    size: cells.size,
    point: cells.point,
    press: cells.point,
    click(place) {
      cells.point(place);
      const { hover } = store.get();
      if (tells() && hover && hover.key !== SINK) showArithmetic(actions, hover);
    },
    /** The cell pointed at or worked out here, else the current row's first. */
    start() {
      const { hover, picked, step, trace } = store.get();
      for (const cell of [hover, picked]) {
        if (cell?.kind === kind && sameHead(cell, cells.choice())) return cells.placeOf(cell);
      }
      return { row: trace && isStep(trace, kind) ? step : 0, column: 0 };
    },
    walk(place) {
      const { trace, picked } = store.get();
      const cell = cells.at(place);
      if (!trace || !cell) return;
      revealCell(grid, place);
      actions.point(cell);
      // What is worked out walks along.
      if (picked?.kind === kind) actions.pick(cell);
      spoken.textContent = t(decodes(kind) ? "spoken.decoder" : "spoken.encoder", {
        query: plainToken(queryTokens(trace, kind)[cell.query]),
        key: plainToken(keyName(t, trace, kind, cell.key)),
        weight: cells.text(cell, 2),
      });
    },
    leave() {
      spoken.textContent = "";
      actions.point(null);
    },
    enter() {
      const cell = cells.at(this.start());
      if (tells() && cell && cell.key !== SINK) showArithmetic(actions, cell);
    },
  });
  return spoken;
}

/**
 * A touch points at a cell until the next one elsewhere: nothing stays faded around a cell nobody reads.
 *
 * @type {(context: Context, kind: Kind, grid: GridView, choice: () => Choice | undefined) => void}
 */
function endTouches({ store, actions }, kind, { canvas }, choice) {
  /** @param {PointerEvent} event */
  function touchElsewhere({ pointerType, target }) {
    if (!canvas.isConnected) document.removeEventListener("pointerdown", touchElsewhere);
    const { hover } = store.get();
    const elsewhere = pointerType === "touch" && !canvas.contains(/** @type {Node} */ (target));
    if (elsewhere && hover?.kind === kind && sameHead(hover, choice())) actions.point(null);
  }
  document.addEventListener("pointerdown", touchElsewhere);
}

/** @type {(context: Context, kind: Kind, grid: GridView, cells: MatrixCells) => void} */
function lightLabels({ watch }, kind, grid, { choice, shift }) {
  const lightRows = grid.rows().map((axis) => labelMarker(axis, "under", "beside"));
  const lightColumns = labelMarker(grid.columns, "under", "beside");
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
}

/** @type {(context: Context, kind: Kind, grid: GridView, cells: MatrixCells) => void} */
function showTips({ t, watch }, kind, grid, cells) {
  const { scrolled, tip } = grid;
  watch(["hover", "step"], ({ trace, hover }) => {
    const chosen = cells.choice();
    const layout = hover?.kind === kind && trace?.weights[kind] && chosen && grid.layout();
    if (tip.hidden && !layout) return;
    tip.hidden = !layout;
    if (!layout) return;
    const { query, key } = hover;
    const number = h("strong", {}, cells.text(hover, 3));
    // Beside the matrix that is pointed at, the others tell their number of the same cell.
    const words = sameHead(hover, chosen)
      ? fill(tipText(t, kind, trace.tgt_out[query]), {
          query: tokenNode(queryTokens(trace, kind)[query]),
          predicts: tokenNode(trace.tgt_out[query] ?? ""),
          key: tokenNode(keyName(t, trace, kind, key)),
          weight: number,
        })
      : [number];
    tip.replaceChildren(...words);
    // What scrolls would scroll away a tip over the column's label.
    const { left, top } = layout.scrolls ? scrolled : { left: 0, top: 0 };
    placeTip(grid, cells.placeOf(hover), { left, top, over: !layout.scrolls });
  });
}
