/** All heads of a kind, small: layers across and heads down, or one order after another. */

import { h } from "../../kit/dom.js";
import { ROLES_OF } from "../../trace/roles.js";
import { layerCount } from "../../trace/weights.js";
import { byLayer, byMeasure } from "./arranged.js";
import { GAP, headGroup } from "./group.js";

/** @import { Head, Order } from "./arranged.js" */
/** @import { HeadRow } from "../../trace/statistics.js" */

/** A picture's side, in CSS pixels: smaller ones are not read; twelve of the largest fill a laptop's width. */
const TILE = { least: 40, most: 104, sorted: 56 };

/** Beside the pictures stand the heads' numbers, and around all is some air: so wide, as in the style sheet. */
const NUMBERS = 40;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/weights.js").Weights} weights
 * @param {HeadRow[] | null} rows  what is known of the heads
 * @param {number} width  in CSS pixels
 * @param {{named: (head: Head) => string, choose: (head: Head) => void, point: (head: Head | null) => void}} how
 */
export function wholeView(context, weights, rows, width, { named, choose, point }) {
  const { store, t } = context;
  const { kind, overview } = store.get();
  const order = rows ? overview.order : "layer";
  const isByLayer = order === "layer";
  const across = isByLayer ? layerCount(weights) : perRow(width);
  const tile = isByLayer ? tileOf(width, across) : TILE.sorted;
  const parts =
    order === "layer" ? byLayer(weights) : byMeasure(rows ?? [], order, ROLES_OF[kind], across);
  const sections = parts.map(({ role, rows: own }) => {
    const title = titleOf(t, order, role);
    const name = title || t("heads.name", { kind: t(`${kind}.title`) });
    const group = headGroup(context, { name, rows: own, tile, textOf: named, choose, point });
    const count = own.flat().length;
    const caption = title ? h("h4", { class: "quiet" }, `${title} · ${count}`) : null;
    const view = isByLayer
      ? numbered(context, group.element, own)
      : h("div", { class: "head-part" }, caption, group.element);
    return { group, view };
  });
  return { groups: sections.map(({ group }) => group), views: sections.map(({ view }) => view) };
}

/** @type {(t: import("../../kit/i18n.js").Translate, order: Order, role: string | null) => string} */
function titleOf(t, order, role) {
  if (order !== "role") return "";
  return role ? t(`role.${role}`) : t("heads.unclear");
}

/**
 * A grid with the numbers of its layers and heads; a layer's opens it at reading size.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {HTMLElement} grid
 * @param {(Head | null)[][]} rows
 */
function numbered({ actions, t }, grid, rows) {
  const layers = Array.from({ length: rows[0]?.length ?? 0 }, (_, layer) => {
    const label = t("overview.open", { layer: layer + 1 });
    const click = () => actions.adjust("overview", { layer });
    return h("button", { "aria-label": label, title: label, click }, String(layer + 1));
  });
  const heads = rows.map((_, i) => h("span", {}, String(i + 1)));
  return h(
    "div",
    { class: "head-part by-layer", style: grid.getAttribute("style") },
    h("div", { class: "corner quiet" }, `${t("heads.head")} ╲ ${t("heads.layer")}`),
    h("div", { class: "layer-numbers" }, ...layers),
    h("div", { class: "head-numbers", "aria-hidden": "true" }, ...heads),
    grid,
  );
}

/** @param {number} width */
function perRow(width) {
  return Math.max(4, Math.floor((width - 8 + GAP) / (TILE.sorted + GAP)));
}

/** @type {(width: number, across: number) => number} */
function tileOf(width, across) {
  const fits = Math.floor((width - NUMBERS + GAP) / across) - GAP;
  return Math.min(TILE.most, Math.max(TILE.least, fits));
}
