/** All heads of one kind, layers down and heads across; choosing one enlarges it. */

import { h } from "./dom.js";
import { paintThumbnail } from "./paint.js";
import { headWeights } from "./trace.js";

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function headsView({ actions, t, watch }, kind) {
  const name = t("heads.name", { kind: t(`${kind}.title`) });
  const grid = h("div", { class: "heads", role: "group", "aria-label": name, keydown: move });
  /** @type {HTMLButtonElement[][]} */
  let buttons = []; // [layer][head]

  watch(["trace"], ({ trace }) => {
    const weights = trace?.weights[kind];
    if (!weights) return;
    const { layers, heads } = weights;
    if (buttons.length === layers && buttons[0].length === heads) return;
    buttons = range(layers).map((layer) => range(heads).map((head) => thumbnail(layer, head)));
    grid.style.setProperty("--heads", String(heads));
    grid.replaceChildren(
      h("span", { class: "corner" }, t("heads.corner")),
      ...range(heads).map((head) => h("span", { class: "number" }, String(head + 1))),
      ...buttons.flatMap((row, layer) => [
        h("span", { class: "number" }, String(layer + 1)),
        ...row,
      ]),
    );
  });

  watch(["trace", "theme"], ({ trace, theme }) => {
    const weights = trace?.weights[kind];
    if (!weights) return;
    for (const [layer, row] of buttons.entries()) {
      for (const [head, button] of row.entries()) {
        const canvas = /** @type {HTMLCanvasElement} */ (button.firstElementChild);
        const values = headWeights(weights, layer, head);
        paintThumbnail(canvas, { values, ...weights, kind, theme });
      }
    }
  });

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
    return h(
      "button",
      {
        type: "button",
        "aria-label": t("head.name", { layer: layer + 1, head: head + 1 }),
        click: () => actions.chooseHead(kind, layer, head),
      },
      h("canvas"),
    );
  }

  /**
   * One stop for the Tab key; the arrows walk the grid from there.
   *
   * @param {KeyboardEvent} event
   */
  function move(event) {
    const layer = buttons.findIndex((row) => row.some((button) => button === event.target));
    if (layer < 0) return;
    const head = buttons[layer].findIndex((button) => button === event.target);
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
