/** Beside a matrix of a kind with many heads: those of the layer at hand, and the ways to all others. */

import { atlasOf } from "../../draw/atlas.js";
import { resize } from "../../draw/paint.js";
import { iconButton } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { whenSeen } from "../../kit/visibility.js";
import { revealHeads } from "../../parts/reveal.js";
import { AGGREGATES, everyHead } from "../../trace/choice.js";
import { hasMask } from "../../trace/kinds.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { headCount, layerCount, maskAt } from "../../trace/weights.js";
import { markChange, select } from "./marked_cell.js";
import { overviewKeys } from "./overview_keys.js";
import { overviewTiles } from "./overview_tiles.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */

/** Heads in a row, and between them, in CSS pixels. */
const ACROSS = 8;
const GAP = 4;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function layerHeadsView(context, kind) {
  const { store, actions, t, watch } = context;
  const { thumbnail } = overviewTiles(context, kind);
  const canvas = h("canvas");
  /** @type {Choice[][]} */
  let choices = [];
  /** @type {HTMLElement[][]} */
  let cells = [];
  const grid = h("div", {
    role: "grid",
    class: "head-group",
    style: `--gap: ${GAP}px`,
    keydown: overviewKeys(context, kind, () => ({ choices, cells })),
  });
  const name = h("span", { class: "heading" });
  const step = (/** @type {number} */ by) => () => goTo(layerAt() + by);
  const before = iconButton("previous", t("overview.before"), step(-1), { kind: "bare small" });
  const after = iconButton("next", t("overview.after"), step(1), { kind: "bare small" });
  const joined = AGGREGATES.map((how) =>
    h(
      "button",
      { class: "chip", click: () => actions.chooseHead(kind, { layer: layerAt(), head: how }) },
      t(`heads.${how}`),
    ),
  );
  const reading = h("button", { class: "chip", click: read }, t("overview.read"));
  const all = h("button", { class: "fold", click: () => show(null) });
  const element = h(
    "div",
    { class: "heads of-layer", hidden: true },
    h("div", { class: "layer-line" }, before, name, after, all),
    grid,
    h("div", { class: "layer-line" }, ...joined, reading),
  );

  const weightsOf = () => store.get().trace?.weights[kind];

  function layerAt() {
    const { layer } = store.get().heads[kind] ?? {};
    return typeof layer === "number" ? layer : 0;
  }

  /** The same head of another layer. @param {number} layer */
  function goTo(layer) {
    const weights = weightsOf();
    const { head = 0 } = store.get().heads[kind] ?? {};
    if (!weights) return;
    const last = headCount(weights, layer) - 1;
    if (last < 0) return;
    actions.chooseHead(kind, {
      layer,
      head: typeof head === "number" ? Math.min(head, last) : head,
    });
  }

  function read() {
    show(layerAt());
  }

  /** @param {number | null} layer  null: all */
  function show(layer) {
    actions.adjust("overview", { layer });
    revealHeads();
  }

  let shown = "";

  /** @param {import("../../state/state.js").State} state */
  function follow(state) {
    const weights = weightsOf();
    element.hidden = !weights || !areManyHeads(weights);
    if (!weights || element.hidden) return;
    const layer = layerAt();
    const count = headCount(weights, layer);
    before.disabled = layer === 0;
    after.disabled = layer === layerCount(weights) - 1;
    name.textContent = t("overview.layer", { layer: layer + 1 });
    all.textContent = `${t("overview", { count: everyHead(weights).length })} ↓`;
    const now = `${layer} ${count} ${weights.queries}`;
    if (now !== shown) {
      shown = now;
      make(layer, count, hasMask(kind, weights.keys, maskAt(weights, { layer })));
    }
    mark(state);
    seen(paint);
  }

  /** @type {(layer: number, count: number, masked: boolean) => void} */
  function make(layer, count, masked) {
    choices = Array.from({ length: Math.ceil(count / ACROSS) }, (_, y) =>
      Array.from({ length: Math.min(ACROSS, count - y * ACROSS) }, (_, x) => ({
        layer,
        head: y * ACROSS + x,
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
  }

  /** @param {import("../../state/state.js").State} state */
  function mark(state) {
    const chosen = state.heads[kind];
    for (const [y, row] of choices.entries()) {
      for (const [x, choice] of row.entries()) {
        select(cells[y][x], chosen?.layer === choice.layer && chosen.head === choice.head);
        markChange(t, state, cells[y][x], kind, choice);
      }
    }
    if (typeof chosen?.head !== "number" && cells[0]?.[0]) cells[0][0].tabIndex = 0;
    for (const [i, how] of AGGREGATES.entries()) {
      joined[i].ariaPressed = String(chosen?.head === how);
    }
  }

  function paint() {
    const { theme, coloring } = store.get();
    const weights = weightsOf();
    const brush = canvas.getContext("2d");
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!weights || element.hidden || !brush || !width) return;
    const ratio = devicePixelRatio;
    resize(canvas, Math.round(width * ratio), Math.round(height * ratio));
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.imageSmoothingEnabled = false;
    const atlas = atlasOf(weights, kind, { theme, coloring });
    const side = (width + GAP) / ACROSS;
    for (const [y, row] of choices.entries()) {
      for (const [x, { layer, head }] of row.entries()) {
        const [left, top, size] = [x * side, y * side, side - GAP].map((l) =>
          Math.round(l * ratio),
        );
        atlas.draw(brush, { layer: Number(layer), head: Number(head) }, [left, top, size, size]);
      }
    }
  }

  const seen = whenSeen(element);
  watch(["trace", "heads", "pins"], follow);
  watch(["theme", "coloring", "arrivals"], () => seen(paint));
  new ResizeObserver(() => seen(paint)).observe(canvas);
  return element;
}
