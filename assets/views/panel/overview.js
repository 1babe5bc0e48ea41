/**
 * All heads of one kind, layers down and heads across, and if asked for their means and maxima.
 * Choosing one enlarges it; with Shift, or by a long touch, it is pinned beside the others.
 */

import { paintHeads } from "../../draw/paint.js";
import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { term } from "../../kit/terms.js";
import { whenSeen } from "../../kit/visibility.js";
import { isPinned } from "../../state/shown_heads.js";
import { effectOn, targetOf } from "../../trace/changes.js";
import { AGGREGATES, everyHead, hasHead } from "../../trace/choice.js";
import { decodes } from "../../trace/kinds.js";
import { headCount } from "../../trace/weights.js";
import { GAP, places, track, tracks, withJoined } from "./overview_grid.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("./overview_grid.js").Part} Part */

/** So long a touch pins, in milliseconds. */
const LONG_TOUCH = 500;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function overviewView({ store, actions, served, t, watch }, kind) {
  const canvas = h("canvas");
  // One control of many cells, not a button for each of a model's heads.
  const grid = h("div", {
    role: "grid",
    "aria-label": t("heads.name", { kind: t(`${kind}.title`) }),
    keydown: press,
  });
  const element = h("div", { class: "heads", style: `gap: ${GAP}px` });
  /** @type {Part[]} */
  let layers = [];
  /** @type {Part[]} */
  let heads = [];
  /** @type {HTMLElement[][]} */
  let cells = []; // as `layers` and `heads` name them
  /** @type {HTMLElement | undefined} */
  let chosenCell;
  let size = "";
  /** @type {string | undefined} */
  let model;
  /** Means and maxima that are shown: what was chosen, or all. */
  const joined = { layer: new Set(), head: new Set() };
  const all = () => joined.layer.size + joined.head.size === 2 * AGGREGATES.length;

  const fold = h("button", {
    class: "fold",
    click: () => {
      const folds = all();
      for (const side of [joined.layer, joined.head]) {
        if (folds) side.clear();
        else for (const part of AGGREGATES) side.add(part);
      }
      follow(store.get());
      markChosen(store.get());
      markChanges(store.get());
      paint();
    },
  });

  watch(["trace", "heads"], follow);

  /** @param {import("../../state/state.js").State} state */
  function follow({ trace, heads: chosen }) {
    const weights = trace?.weights[kind];
    // What is shown large is among them, and stays there until another model comes.
    const { layer, head } = chosen[kind] ?? {};
    if (trace?.model !== model && !all()) {
      joined.layer.clear();
      joined.head.clear();
    }
    model = trace?.model;
    if (typeof layer === "string") joined.layer.add(layer);
    if (typeof head === "string") joined.head.add(head);
    if (!weights) return;
    layers = withJoined(weights.layers, joined.layer);
    heads = withJoined(weights.heads, joined.head);
    const counts = weights.counts?.join() ?? "";
    if (size === `${layers} ${heads} ${counts}`) return;
    size = `${layers} ${heads} ${counts}`;
    cells = layers.map((layer, y) =>
      heads.map((head, x) =>
        hasHead({ layer, head }, weights)
          ? thumbnail({ layer, head }, y, x)
          : absent({ layer, head }, y, x),
      ),
    );
    chosenCell = undefined;
    grid.replaceChildren(...cells.map((row) => h("div", { role: "row" }, ...row)));
    element.style.gridTemplateColumns = `auto ${tracks(heads, "minmax(0, var(--tile))")} auto`;
    canvas.style.gridColumn = "2 / -2";
    element.style.setProperty("--layers", String(layers.length));
    element.style.gridTemplateRows = `auto ${tracks(layers, "auto")}`;
    element.replaceChildren(
      canvas,
      h(
        "span",
        { class: "corner" },
        ...[term("layer", t("heads.layer")), " ╲ ", term("head", t("heads.head"))],
      ),
      ...heads.map((head, x) => label(head, `grid-column: ${track(head, x)}`)),
      ...layers.map((layer, y) => label(layer, `grid-row: ${track(layer, y)}`)),
      grid,
      ...layers.flatMap((layer, y) =>
        typeof layer === "number" && headCount(weights, layer) === 0
          ? [h("p", { class: "gap", style: `grid-row: ${track(layer, y)}` }, t("heads.gap"))]
          : [],
      ),
      fold,
    );
    fold.textContent = t(all() ? "less" : "heads.joined");
    fold.ariaExpanded = String(all());
    fold.hidden = everyHead(weights).length < 2;
  }

  function paint() {
    const { trace, theme, coloring, hiding, step } = store.get();
    const weights = trace?.weights[kind];
    if (!weights || canvas.clientWidth === 0) return;
    const across = places(canvas.clientWidth, heads);
    const down = places(canvas.clientHeight, layers);
    const tiles = layers.flatMap((layer, y) =>
      heads.map((head, x) => {
        const [left, width] = across[x];
        const [top, height] = down[y];
        return { layer, head, left, top, width, height };
      }),
    );
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
    for (const [each, now] of /** @type {const} */ ([
      [chosenCell, false],
      [cell, true],
    ])) {
      if (!each) continue;
      each.ariaSelected = String(now);
      each.tabIndex = now ? 0 : -1;
    }
    chosenCell = cell;
  }

  /** @param {import("../../state/state.js").State} state */
  function markChanges(state) {
    for (const [y, layer] of layers.entries()) {
      for (const [x, head] of heads.entries()) {
        const cell = cells[y][x];
        const effect = effectOn(state.trace?.interventions ?? [], targetOf(kind, { layer, head }));
        if (cell.classList.toggle("changed", effect !== null) || cell.ariaDescription) {
          cell.ariaDescription = effect && t(`change.${effect}`);
        }
        cell.classList.toggle("pinned", isPinned(state, kind, { layer, head }));
      }
    }
  }

  /** @type {(choice: Choice, y: number, x: number) => HTMLElement} */
  function thumbnail(choice, y, x) {
    const name = headTitle(t, choice);
    let timer = 0;
    let long = false;
    const stop = () => clearTimeout(timer);
    return h("div", {
      role: "gridcell",
      tabindex: -1,
      "aria-selected": "false",
      "aria-label": name,
      title: name,
      style: `grid-row: ${track(choice.layer, y)}; grid-column: ${track(choice.head, x)}`,
      click: (/** @type {MouseEvent} */ { shiftKey }) => {
        if (shiftKey) actions.togglePin(kind, choice);
        else if (!long) actions.chooseHead(kind, choice);
      },
      pointerdown: (/** @type {PointerEvent} */ { pointerType }) => {
        long = false;
        if (pointerType !== "touch") return;
        timer = window.setTimeout(() => {
          long = true;
          actions.togglePin(kind, choice);
        }, LONG_TOUCH);
      },
      pointerup: stop,
      pointercancel: stop,
      pointerleave: stop,
      contextmenu: (/** @type {Event} */ event) => long && event.preventDefault(),
    });
  }

  /** @type {(choice: Choice, y: number, x: number) => HTMLElement}  where a layer lacks a head */
  function absent({ layer, head }, y, x) {
    return h("div", {
      role: "gridcell",
      class: "absent",
      tabindex: -1,
      "aria-disabled": "true",
      "aria-label": `${headTitle(t, { layer, head })}: ${t("heads.absent")}`,
      title: t("heads.absent"),
      style: `grid-row: ${track(layer, y)}; grid-column: ${track(head, x)}`,
    });
  }

  /** @type {(part: Part, style: string) => HTMLElement} */
  function label(part, style) {
    const text = typeof part === "string" ? t(`heads.${part}`) : String(part + 1);
    // One alone has room beside it.
    const turned = typeof part === "string" && joined.head.size > 1;
    const name = typeof part === "string" ? `number joined${turned ? " turned" : ""}` : "number";
    return h("span", { class: name, style }, text);
  }

  /**
   * One stop for the Tab key; the arrows walk the grid from there.
   *
   * @param {KeyboardEvent} event
   */
  function press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const y = cells.findIndex((row) => row.includes(target));
    if (y < 0) return;
    const x = cells[y].indexOf(target);
    const there = target.ariaDisabled !== "true";
    if (there && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      const choice = { layer: layers[y], head: heads[x] };
      if (event.shiftKey) actions.togglePin(kind, choice);
      else actions.chooseHead(kind, choice);
    }
    const changed =
      there && event.key === "x" && served && targetOf(kind, { layer: layers[y], head: heads[x] });
    if (changed) {
      event.preventDefault();
      actions.toggleEffect(changed);
    }
    /** @type {Record<string, HTMLElement | undefined>} */
    const targets = {
      ArrowLeft: cells[y][x - 1],
      ArrowRight: cells[y][x + 1],
      ArrowUp: cells[y - 1]?.[x],
      ArrowDown: cells[y + 1]?.[x],
      Home: cells[y][0],
      End: cells[y].at(-1),
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    targets[event.key]?.focus();
  }

  return element;
}
