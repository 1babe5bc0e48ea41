/**
 * All heads of one kind, layers down and heads across, and if asked for their means and maxima.
 * Choosing one enlarges it; with Shift, or by a long touch, it is pinned beside the others.
 */

import { paintHeads } from "../../draw/heads.js";
import { h } from "../../kit/dom.js";
import { whenSeen } from "../../kit/visibility.js";
import { haveChanged } from "../../state/store.js";
import { everyHead, hasHead } from "../../trace/choice.js";
import { decodes } from "../../trace/kinds.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { markChange, select } from "./marked_cell.js";
import { GAP, joinedParts, tilesIn, track, tracks, withJoined } from "./overview_grid.js";
import { overviewKeys } from "./overview_keys.js";
import { overviewTiles } from "./overview_tiles.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("./overview_grid.js").Part} Part */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function overviewView(context, kind) {
  const { store, t, watch } = context;
  const { thumbnail, absent, around, gaps } = overviewTiles(context, kind);
  const canvas = h("canvas");
  // One control of many cells, not a button for each of a model's heads.
  const grid = h("div", {
    role: "grid",
    "aria-label": t("heads.name", { kind: t(`${kind}.title`) }),
    keydown: overviewKeys(context, kind, () => ({ choices, cells })),
  });
  const element = h("div", { class: "heads", style: `gap: ${GAP}px` });
  let [layers, heads] = /** @type {[Part[], Part[]]} */ ([[], []]);
  /** @type {HTMLElement[][]} */
  let cells = [];
  /** @type {Choice[][]} */
  let choices = []; // of the cells
  /** @type {HTMLElement | undefined} */
  let chosenCell;
  const sizeChanged = haveChanged();
  const joined = joinedParts();

  const fold = h("button", { class: "fold", click: unfold });

  function unfold() {
    joined.toggle();
    follow(store.get());
    markChosen(store.get());
    markChanges(store.get());
    paint();
  }

  watch(["trace", "heads"], follow);

  /** @param {import("../../state/state.js").State} state */
  function follow({ trace, heads: chosen }) {
    const weights = trace?.weights[kind];
    joined.follow(trace?.model, chosen[kind]);
    element.hidden = !weights || areManyHeads(weights);
    if (!weights || element.hidden) return;
    layers = withJoined(weights.layers, joined.layer);
    heads = withJoined(weights.heads, joined.head);
    if (!sizeChanged(`${layers} ${heads} ${weights.counts}`)) return;
    choices = layers.map((layer) => heads.map((head) => ({ layer, head })));
    cells = choices.map((row, y) =>
      row.map((choice, x) => {
        const make = hasHead(choice, weights) ? thumbnail : absent;
        return make(choice, placed(choice, y, x));
      }),
    );
    chosenCell = undefined;
    grid.replaceChildren(...cells.map((row) => h("div", { role: "row" }, ...row)));
    element.style.gridTemplateColumns = `auto ${tracks(heads, "minmax(0, var(--tile))")} auto`;
    canvas.style.gridColumn = "2 / -2";
    element.style.setProperty("--layers", String(layers.length));
    element.style.gridTemplateRows = `auto ${tracks(layers, "auto")}`;
    const labels = around(layers, heads, joined.head.size > 1);
    element.replaceChildren(canvas, ...labels, grid, ...gaps(weights, layers), fold);
    fold.textContent = t(joined.all() ? "less" : "heads.joined");
    fold.ariaExpanded = String(joined.all());
    fold.hidden = everyHead(weights).length < 2;
  }

  function paint() {
    const { trace, theme, coloring, hiding, step } = store.get();
    const weights = trace?.weights[kind];
    if (!weights || element.hidden || canvas.clientWidth === 0) return;
    const tiles = tilesIn(canvas.clientWidth, canvas.clientHeight, layers, heads);
    const rows = hiding && decodes(kind) ? step + 1 : weights.queries;
    paintHeads(canvas, weights, { kind, theme, coloring }, tiles, rows);
  }
  const seen = whenSeen(element);
  watch(["trace", "theme", "coloring", "hiding"], () => seen(paint));
  watch(["step"], ({ hiding }) => hiding && decodes(kind) && seen(paint));
  new ResizeObserver(() => seen(paint)).observe(canvas);

  watch(["heads", "trace"], markChosen);
  watch(["pins", "trace"], markChanges);

  /** @param {import("../../state/state.js").State} state */
  function markChosen({ heads: shown }) {
    const { layer = -1, head = -1 } = shown[kind] ?? {};
    const cell = cells[layers.indexOf(layer)]?.[heads.indexOf(head)];
    if (cell === chosenCell) return;
    select(chosenCell, false);
    select(cell, true);
    chosenCell = cell;
  }

  /** @param {import("../../state/state.js").State} state */
  function markChanges(state) {
    for (const [y, row] of choices.entries()) {
      for (const [x, choice] of row.entries()) markChange(t, state, cells[y][x], kind, choice);
    }
  }

  return element;
}

/** Where a cell stands, as CSS has it. @type {(choice: Choice, y: number, x: number) => string} */
function placed({ layer, head }, y, x) {
  return `grid-row: ${track(layer, y)}; grid-column: ${track(head, x)}`;
}
