/** Beside a matrix of a kind with many heads: those of the layer at hand, and the ways to all others. */

import { atlasOf } from "../../draw/atlas.js";
import { resize } from "../../draw/paint.js";
import { chip, iconButton } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { whenSeen } from "../../kit/visibility.js";
import { revealHeads } from "../../parts/reveal.js";
import { haveChanged } from "../../state/store.js";
import { AGGREGATES, everyHead, sameHead } from "../../trace/choice.js";
import { hasMask } from "../../trace/kinds.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { headCount, layerCount, maskAt } from "../../trace/weights.js";
import { markChange, select } from "../panel/marked_cell.js";
import { overviewKeys } from "../panel/overview_keys.js";
import { overviewTiles } from "../panel/overview_tiles.js";

/** @import { Weights } from "../../trace/weights.js" */
/** @typedef {{layer: number, head: number}} Head */

/** Between heads, in CSS pixels. */
const GAP = 4;

/** Heads in a row: twelve are two rows of six. @param {number} count */
function acrossOf(count) {
  return count > 8 && count <= 12 ? 6 : 8;
}

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function layerHeadsView(context, kind) {
  const { store, actions, t, watch } = context;
  const weightsOf = () => store.get().trace?.weights[kind];
  const layerAt = () => {
    const { layer } = store.get().heads[kind] ?? {};
    return typeof layer === "number" ? layer : 0;
  };

  /** The same head of another layer. @param {number} by */
  function goOn(by) {
    const [weights, layer] = [weightsOf(), layerAt() + by];
    const { head = 0 } = store.get().heads[kind] ?? {};
    const last = weights ? headCount(weights, layer) - 1 : -1;
    if (last < 0) return;
    const same = typeof head === "number" ? Math.min(head, last) : head;
    actions.chooseHead(kind, { layer, head: same });
  }

  /** @param {number | null} layer  null: all */
  function show(layer) {
    actions.adjust("overview", { layer });
    revealHeads();
  }

  const { grid, make, mark, paint } = layerGrid(context, kind);
  const name = h("span", { class: "heading" });
  const small = { kind: "bare small" };
  const before = iconButton("previous", t("overview.before"), () => goOn(-1), small);
  const after = iconButton("next", t("overview.after"), () => goOn(1), small);
  const joined = AGGREGATES.map((head) =>
    chip(() => actions.chooseHead(kind, { layer: layerAt(), head }), t(`heads.${head}`)),
  );
  const reading = chip(() => show(layerAt()), t("overview.read"));
  const all = h("button", { class: "fold", click: () => show(null) });
  const element = h(
    "div",
    { class: "heads of-layer", hidden: true },
    h("div", { class: "cluster layer-line" }, before, name, after, all),
    grid,
    h("div", { class: "cluster layer-line" }, ...joined, reading),
  );
  const seen = whenSeen(element);
  const paintOnceSeen = () => !element.hidden && seen(() => paint(weightsOf()));

  watch(["trace", "heads", "pins"], (state) => {
    const weights = weightsOf();
    element.hidden = !weights || !areManyHeads(weights);
    if (!weights || element.hidden) return;
    const layer = layerAt();
    before.disabled = layer === 0;
    after.disabled = layer === layerCount(weights) - 1;
    name.textContent = t("overview.layer", { layer: layer + 1 });
    all.textContent = `${t("overview", { count: everyHead(weights).length })} ↓`;
    for (const [i, head] of AGGREGATES.entries()) {
      joined[i].ariaPressed = String(state.heads[kind]?.head === head);
    }
    make(weights, layer);
    mark(state);
    paintOnceSeen();
  });
  watch(["theme", "coloring", "arrivals"], paintOnceSeen);
  new ResizeObserver(paintOnceSeen).observe(grid);
  return element;
}

/**
 * The layer's heads.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
function layerGrid(context, kind) {
  const { store, t } = context;
  const { thumbnail } = overviewTiles(context, kind);
  const canvas = h("canvas");
  /** @type {Head[][]} */
  let choices = [];
  /** @type {HTMLElement[][]} */
  let cells = [];
  const grid = h("div", {
    role: "grid",
    class: "head-group",
    style: `--gap: ${GAP}px`,
    keydown: overviewKeys(context, kind, () => ({ choices, cells })),
  });
  const cellsChanged = haveChanged();
  let across = 8;

  return {
    grid,
    /** @type {(weights: Weights, layer: number) => void} */
    make(weights, layer) {
      const count = headCount(weights, layer);
      const masked = hasMask(kind, weights.keys, maskAt(weights, { layer }));
      if (!cellsChanged(layer, count, masked)) return;
      across = acrossOf(count);
      grid.style.setProperty("--across", String(across));
      choices = Array.from({ length: Math.ceil(count / across) }, (_, y) =>
        Array.from({ length: Math.min(across, count - y * across) }, (_, x) => ({
          ...{ layer, head: y * across + x },
        })),
      );
      cells = choices.map((row, y) =>
        row.map((choice, x) => {
          const cell = thumbnail(choice, `grid-row: ${y + 1}; grid-column: ${x + 1}`);
          cell.classList.toggle("hatched", masked);
          return cell;
        }),
      );
      grid.ariaLabel = t("overview.layer", { layer: layer + 1 });
      grid.replaceChildren(...cells.map((row) => h("div", { role: "row" }, ...row)), canvas);
    },
    /** @param {import("../../state/state.js").State} state */
    mark(state) {
      const chosen = state.heads[kind];
      for (const [y, row] of choices.entries()) {
        for (const [x, choice] of row.entries()) {
          select(cells[y][x], sameHead(chosen, choice));
          markChange(t, state, cells[y][x], kind, choice);
        }
      }
      const first = cells[0]?.[0];
      if (first && !grid.querySelector('[tabindex="0"]')) first.tabIndex = 0;
    },
    /** @param {Weights | undefined} weights */
    paint(weights) {
      const brush = canvas.getContext("2d");
      const { clientWidth: width, clientHeight: height } = canvas;
      if (!weights || !brush || !width) return;
      const ratio = devicePixelRatio;
      resize(canvas, Math.round(width * ratio), Math.round(height * ratio));
      brush.clearRect(0, 0, canvas.width, canvas.height);
      brush.imageSmoothingEnabled = false;
      const atlas = atlasOf(weights, kind, store.get());
      const side = (width + GAP) / across;
      for (const [y, row] of choices.entries()) {
        for (const [x, choice] of row.entries()) {
          const box = [x * side, y * side, side - GAP].map((length) => Math.round(length * ratio));
          atlas.draw(brush, choice, [box[0], box[1], box[2], box[2]]);
        }
      }
    },
  };
}
