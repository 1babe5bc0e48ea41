/** All heads of one kind, layers down and heads across; choosing one enlarges it. */

import { h } from "./dom.js";
import { headTitle } from "./head.js";
import { paintHeads } from "./paint.js";

/** Between thumbnails, in CSS pixels. */
const GAP = 4;

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function headsView({ store, actions, t, watch }, kind) {
  const name = t("heads.name", { kind: t(`${kind}.title`) });
  const style = `--gap: ${GAP}px`;
  const grid = h("div", {
    class: "heads",
    role: "group",
    "aria-label": name,
    style,
    keydown: move,
  });
  const canvas = h("canvas");
  /** @type {HTMLButtonElement[][]} */
  let buttons = []; // [layer][head]

  watch(["trace"], ({ trace }) => {
    const weights = trace?.weights[kind];
    if (!weights) return;
    const { layers, heads } = weights;
    if (buttons.length === layers && buttons[0].length === heads) return;
    buttons = range(layers).map((layer) => range(heads).map((head) => thumbnail(layer, head)));
    grid.style.setProperty("--heads", String(heads));
    grid.style.setProperty("--layers", String(layers));
    grid.replaceChildren(
      canvas,
      h("span", { class: "corner" }, t("heads.corner")),
      ...range(heads).map((head) =>
        h("span", { class: "number", style: `grid-column: ${head + 2}` }, String(head + 1)),
      ),
      ...buttons.flatMap((row, layer) => [
        h("span", { class: "number", style: `grid-row: ${layer + 2}` }, String(layer + 1)),
        ...row,
      ]),
    );
  });

  function paint() {
    const { trace, theme } = store.get();
    const weights = trace?.weights[kind];
    if (weights && canvas.clientWidth > 0) paintHeads(canvas, weights, kind, theme, GAP);
  }
  watch(["trace", "theme"], paint);
  new ResizeObserver(paint).observe(canvas);

  watch(["heads", "trace"], ({ heads }) => {
    const chosen = heads[kind];
    for (const [layer, row] of buttons.entries()) {
      for (const [head, button] of row.entries()) {
        const pressed = layer === chosen?.layer && head === chosen?.head;
        button.ariaPressed = String(pressed);
        button.tabIndex = pressed ? 0 : -1;
      }
    }
  });

  /** @type {(layer: number, head: number) => HTMLButtonElement} */
  function thumbnail(layer, head) {
    return h("button", {
      type: "button",
      "aria-label": headTitle(t, { layer, head }),
      style: `grid-row: ${layer + 2}; grid-column: ${head + 2}`,
      click: () => actions.chooseHead(kind, { layer, head }),
    });
  }

  /**
   * One stop for the Tab key; the arrows walk the grid from there.
   *
   * @param {KeyboardEvent} event
   */
  function move(event) {
    const target = /** @type {HTMLButtonElement} */ (event.target);
    const layer = buttons.findIndex((row) => row.includes(target));
    if (layer < 0) return;
    const head = buttons[layer].indexOf(target);
    const last = buttons[layer].length - 1;
    /** @type {Record<string, HTMLButtonElement | undefined>} */
    const targets = {
      ArrowLeft: buttons[layer][head - 1],
      ArrowRight: buttons[layer][head + 1],
      ArrowUp: buttons[layer - 1]?.[head],
      ArrowDown: buttons[layer + 1]?.[head],
      Home: buttons[layer][0],
      End: buttons[layer][last],
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    targets[event.key]?.focus();
  }

  return grid;
}

/** @param {number} length */
function range(length) {
  return Array.from({ length }, (_, i) => i);
}
