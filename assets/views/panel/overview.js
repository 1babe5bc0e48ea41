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
import { sameHead } from "../../trace/choice.js";
import { decodes } from "../../trace/kinds.js";
import { GAP, numbersTo, places, track, tracks, withAggregates } from "./overview_grid.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("./overview_grid.js").Part} Part */

/** So long a touch pins, in milliseconds. */
const LONG_TOUCH = 500;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function overviewView({ store, actions, served, t, watch }, kind) {
  const grid = h("div", {
    class: "heads",
    role: "group",
    "aria-label": t("heads.name", { kind: t(`${kind}.title`) }),
    style: `gap: ${GAP}px`,
    keydown: press,
  });
  const canvas = h("canvas");
  /** @type {Part[]} */
  let layers = [];
  /** @type {Part[]} */
  let heads = [];
  /** @type {HTMLButtonElement[][]} */
  let buttons = []; // as `layers` and `heads` name them
  let size = "";
  let joined = false; // whether means and maxima are shown

  const fold = h("button", {
    class: "fold",
    click: () => {
      joined = !joined;
      follow(store.get());
      markHeads(store.get());
      paint();
    },
  });

  watch(["trace", "heads"], follow);

  /** @param {import("../../state/state.js").State} state */
  function follow({ trace, heads: chosen }) {
    const weights = trace?.weights[kind];
    // What is shown large is among them.
    joined ||= Object.values(chosen[kind] ?? {}).some((part) => typeof part === "string");
    if (!weights || size === `${weights.layers} ${weights.heads} ${joined}`) return;
    size = `${weights.layers} ${weights.heads} ${joined}`;
    const parts = joined ? withAggregates : numbersTo;
    layers = parts(weights.layers);
    heads = parts(weights.heads);
    buttons = layers.map((layer, y) => heads.map((head, x) => thumbnail({ layer, head }, y, x)));
    grid.style.gridTemplateColumns = `auto ${tracks(heads, "minmax(0, var(--tile))")} auto`;
    canvas.style.gridColumn = "2 / -2";
    grid.style.setProperty("--layers", String(layers.length));
    grid.style.gridTemplateRows = `auto ${tracks(layers, "auto")}`;
    grid.replaceChildren(
      canvas,
      h(
        "span",
        { class: "corner" },
        ...[term("layer", t("heads.layer")), " ╲ ", term("head", t("heads.head"))],
      ),
      ...heads.map((head, x) => label(head, `grid-column: ${track(head, x)}`)),
      ...layers.map((layer, y) => label(layer, `grid-row: ${track(layer, y)}`)),
      ...buttons.flat(),
      fold,
    );
    fold.textContent = t(joined ? "less" : "heads.joined");
    fold.ariaExpanded = String(joined);
    fold.hidden = weights.layers * weights.heads < 2;
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
  const seen = whenSeen(grid);
  watch(["trace", "theme", "coloring", "hiding"], () => seen(paint));
  watch(["step"], ({ hiding }) => hiding && decodes(kind) && seen(paint));
  new ResizeObserver(() => seen(paint)).observe(canvas);

  watch(["heads", "pins", "trace"], markHeads);

  /** @param {import("../../state/state.js").State} state */
  function markHeads(state) {
    for (const [y, layer] of layers.entries()) {
      for (const [x, head] of heads.entries()) {
        const button = buttons[y]?.[x];
        if (!button) continue;
        const pressed = String(sameHead(state.heads[kind], { layer, head }));
        const effect = effectOn(state.trace?.interventions ?? [], targetOf(kind, { layer, head }));
        if (button.classList.toggle("changed", effect !== null) || button.ariaDescription) {
          button.ariaDescription = effect && t(`change.${effect}`);
        }
        button.classList.toggle("pinned", isPinned(state, kind, { layer, head }));
        if (button.ariaPressed === pressed) continue;
        button.ariaPressed = pressed;
        button.tabIndex = pressed === "true" ? 0 : -1;
      }
    }
  }

  /** @type {(choice: Choice, y: number, x: number) => HTMLButtonElement} */
  function thumbnail(choice, y, x) {
    const name = headTitle(t, choice);
    let timer = 0;
    let long = false;
    const stop = () => clearTimeout(timer);
    return h("button", {
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

  /** @type {(part: Part, style: string) => HTMLElement} */
  function label(part, style) {
    const text = typeof part === "string" ? t(`heads.${part}`) : String(part + 1);
    const name = typeof part === "string" ? "number joined" : "number";
    return h("span", { class: name, style }, text);
  }

  /**
   * One stop for the Tab key; the arrows walk the grid from there.
   *
   * @param {KeyboardEvent} event
   */
  function press(event) {
    const target = /** @type {HTMLButtonElement} */ (event.target);
    const y = buttons.findIndex((row) => row.includes(target));
    if (y < 0) return;
    const x = buttons[y].indexOf(target);
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      actions.togglePin(kind, { layer: layers[y], head: heads[x] });
    }
    const changed =
      event.key === "x" && served && targetOf(kind, { layer: layers[y], head: heads[x] });
    if (changed) {
      event.preventDefault();
      actions.toggleEffect(changed);
    }
    /** @type {Record<string, HTMLButtonElement | undefined>} */
    const targets = {
      ArrowLeft: buttons[y][x - 1],
      ArrowRight: buttons[y][x + 1],
      ArrowUp: buttons[y - 1]?.[x],
      ArrowDown: buttons[y + 1]?.[x],
      Home: buttons[y][0],
      End: buttons[y].at(-1),
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    targets[event.key]?.focus();
  }

  return grid;
}
