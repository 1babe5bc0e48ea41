/** What the grid of all heads is made of: a tile for each head, and the names of layers and heads. */

import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { term } from "../../kit/terms.js";
import { layersWithout, track } from "./overview_grid.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("./overview_grid.js").Part} Part */

/** Milliseconds of a touch that pins. */
const LONG_TOUCH = 500;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function overviewTiles({ actions, t }, kind) {
  /** @type {(choice: Choice, style?: string) => HTMLElement} */
  function thumbnail(choice, style) {
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
      style,
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

  /** @type {(choice: Choice, style: string) => HTMLElement}  where a layer lacks a head */
  function absent({ layer, head }, style) {
    return h("div", {
      role: "gridcell",
      class: "absent",
      tabindex: -1,
      "aria-disabled": "true",
      "aria-label": `${headTitle(t, { layer, head })}: ${t("heads.absent")}`,
      title: t("heads.absent"),
      style,
    });
  }

  /** @type {(part: Part, style: string, several: boolean) => HTMLElement}  `several` parts stand joined */
  function label(part, style, several) {
    const text = typeof part === "string" ? t(`heads.${part}`) : String(part + 1);
    // One alone has room beside it.
    const turned = typeof part === "string" && several;
    const name = typeof part === "string" ? `number joined${turned ? " turned" : ""}` : "number";
    return h("span", { class: name, style }, text);
  }

  /**
   * The names of layers and heads around the grid.
   *
   * @type {(layers: Part[], heads: Part[], several: boolean) => HTMLElement[]}
   */
  const around = (layers, heads, several) => [
    cornerView(t),
    ...heads.map((head, x) => label(head, `grid-column: ${track(head, x)}`, several)),
    ...layers.map((layer, y) => label(layer, `grid-row: ${track(layer, y)}`, several)),
  ];

  /** @type {(weights: import("../../trace/weights.js").Weights, layers: Part[]) => HTMLElement[]} */
  const gaps = (weights, layers) =>
    layersWithout(weights, layers).map((y) =>
      h("p", { class: "gap", style: `grid-row: ${track(layers[y], y)}` }, t("heads.gap")),
    );

  return { thumbnail, absent, around, gaps };
}

/** @param {import("../../kit/i18n.js").Translate} t */
function cornerView(t) {
  // Where there is no room for one line, it breaks into two.
  const names = [term("layer", t("heads.layer")), "\u00a0╲ ", term("head", t("heads.head"))];
  return h("span", { class: "corner" }, ...names);
}
