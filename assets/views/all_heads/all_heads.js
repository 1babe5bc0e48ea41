/**
 * All heads of a kind where there are many: as wide as the page, in the order of what they do if one
 * likes, and any layer's at reading size.
 */

import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { inARow } from "../../kit/typeset.js";
import { ALL_HEADS, revealHead } from "../../parts/reveal.js";
import { whileSeen } from "../../parts/seen.js";
import { everyHead } from "../../trace/choice.js";
import { ROLES_OF } from "../../trace/roles.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { layerCount } from "../../trace/weights.js";
import { byLayer, byMeasure } from "./arranged.js";
import { GAP, headGroup } from "./group.js";
import { layerHeads } from "./layer.js";
import { headNumbers } from "./numbers.js";
import { headTools } from "./tools.js";

/** @import { Head } from "./arranged.js" */

/** A picture's side, in CSS pixels: smaller ones are not read, in larger ones nothing more is seen. */
const TILE = { least: 40, most: 64, sorted: 56 };

/** Beside the pictures stand the heads' numbers, so wide, as in the style sheet. */
const NUMBERS = 30;

/** @param {import("../../state/actions.js").Context} outer */
export function allHeadsView(outer) {
  const { store, actions, t } = outer;
  const heading = h("h3", { class: "heading", tabindex: -1 });
  const told = h("p", { class: "quiet told", role: "status" });
  const body = h("div", { class: "head-groups" });
  const element = h("section", { class: "overview", id: ALL_HEADS, hidden: true });
  outer.watch(["trace", "kind"], ({ trace, kind }) => {
    const weights = trace?.weights[kind];
    element.hidden = !weights || !areManyHeads(weights);
  });
  const context = whileSeen(outer, element);
  const numbers = headNumbers(context, () => arrange());
  const tools = headTools(context, () => ROLES_OF[store.get().kind]);
  const layers = h("nav", { class: "layer-tools" });
  element.append(h("div", { class: "overview-head" }, heading, layers, tools.element), told, body);

  /** @type {{element: HTMLElement, name: (isLit: (head: Head) => boolean) => void, mark: (chosen: import("../../trace/choice.js").Choice | undefined) => void, paint: (isLit: (head: Head) => boolean) => void}[]} */
  let groups = [];

  const rowOf = (/** @type {Head} */ { layer, head }) =>
    numbers()?.find((row) => row.layer === layer && row.head === head);

  /** @param {Head} head */
  const isLit = (head) => {
    const { roles } = store.get().overview;
    return roles.length === 0 || roles.includes(rowOf(head)?.role ?? "");
  };

  /** @param {Head} head */
  function does(head) {
    const row = rowOf(head);
    if (!row) return "";
    const sharp = `${t("measure.sharpness")}${t("colon")}${briefText(row.numbers.sharpness ?? 0)}`;
    return [row.role ? t(`role.${row.role}`) : t("heads.unclear"), sharp].join(" · ");
  }

  /** @param {Head} head */
  const choose = (head) => revealHead(actions, store.get().kind, head);

  /** @param {Head | null} head */
  function point(head) {
    const hint = t(store.get().overview.layer === null ? "overview.hint" : "overview.hint.layer");
    told.textContent = head ? inARow([`${headTitle(t, head)} · `, does(head)]) : hint;
  }

  /** Makes what stands in the body. */
  function arrange() {
    const { trace, kind, overview } = store.get();
    const weights = trace?.weights[kind];
    if (!weights || element.hidden) return;
    const rows = numbers();
    tools.follow(rows);
    const { layer } = overview;
    const whole = layer === null || layer >= layerCount(weights);
    tools.element.hidden = !whole;
    heading.textContent = whole
      ? t("overview", { count: everyHead(weights).length })
      : t("overview.layer", { layer: layer + 1 });
    layers.replaceChildren(...(whole ? [] : layerTools(layer, layerCount(weights))));
    point(null);
    if (!whole) {
      const shown = layerHeads(context, layer, does, choose);
      groups = [shown];
      body.replaceChildren(shown.element);
    } else {
      const width = element.clientWidth;
      const order = rows ? overview.order : "layer";
      const across = order === "layer" ? layerCount(weights) : perRow(width);
      const tile = order === "layer" ? tileOf(width, across) : TILE.sorted;
      const parts =
        order === "layer" ? byLayer(weights) : byMeasure(rows ?? [], order, ROLES_OF[kind], across);
      const made = parts.map(({ role, rows }) => {
        const name = role ? t(`role.${role}`) : order === "role" ? t("heads.unclear") : "";
        const label = name || t("heads.name", { kind: t(`${kind}.title`) });
        const group = headGroup(context, { name: label, rows, tile, told: nameOf, choose, point });
        const count = rows.flat().length;
        const caption = name ? h("h4", { class: "quiet" }, `${name} · ${count}`) : null;
        return { group, view: framed(group.element, caption, order, rows) };
      });
      groups = made.map(({ group }) => group);
      body.replaceChildren(...made.map(({ view }) => view));
    }
    markAndPaint();
  }

  const nameOf = (/** @type {Head} */ head) =>
    [headTitle(t, head), does(head)].filter(Boolean).join(" · ");

  /** @type {(grid: HTMLElement, caption: HTMLElement | null, order: string, rows: unknown[][]) => HTMLElement} */
  function framed(grid, caption, order, rows) {
    if (order !== "layer") return h("div", { class: "head-part" }, caption, grid);
    const across = rows[0]?.length ?? 0;
    return h(
      "div",
      { class: "head-part by-layer", style: grid.getAttribute("style") },
      h("div", { class: "corner quiet" }, `${t("heads.head")} ╲ ${t("heads.layer")}`),
      h("div", { class: "layer-numbers" }, ...Array.from({ length: across }, (_, i) => opener(i))),
      h(
        "div",
        { class: "head-numbers", "aria-hidden": "true" },
        ...rows.map((_, i) => h("span", {}, String(i + 1))),
      ),
      grid,
    );
  }

  /** @param {number} layer */
  function opener(layer) {
    const label = t("overview.open", { layer: layer + 1 });
    const click = () => actions.adjust("overview", { layer });
    return h("button", { "aria-label": label, title: label, click }, String(layer + 1));
  }

  /** @type {(layer: number, count: number) => HTMLElement[]} */
  function layerTools(layer, count) {
    /** @type {(to: number | null, face: string, label: string) => HTMLButtonElement} */
    const button = (to, face, label) =>
      h(
        "button",
        {
          class: "chip",
          "aria-label": label,
          title: label,
          disabled: to !== null && (to < 0 || to >= count),
          click: () => actions.adjust("overview", { layer: to }),
        },
        face,
      );
    return [
      button(null, `‹ ${t("overview.back")}`, t("overview.back")),
      button(layer - 1, "←", t("overview.before")),
      button(layer + 1, "→", t("overview.after")),
    ];
  }

  function markAndPaint() {
    const { heads, kind } = store.get();
    for (const group of groups) {
      group.name(isLit);
      group.mark(heads[kind]);
      group.paint(isLit);
    }
  }

  context.watch(["trace", "kind", "overview"], arrange);
  context.watch(["heads"], ({ heads, kind }) => {
    for (const group of groups) group.mark(heads[kind]);
  });
  context.watch(["theme", "coloring", "arrivals"], () => {
    for (const group of groups) group.paint(isLit);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(element.clientWidth - width) < 2) return;
    width = element.clientWidth;
    arrange();
  }).observe(element);
  return element;
}

/** @param {number} width */
function perRow(width) {
  return Math.max(4, Math.floor((width + GAP) / (TILE.sorted + GAP)));
}

/** @type {(width: number, across: number) => number} */
function tileOf(width, across) {
  const fits = Math.floor((width - NUMBERS + GAP) / across) - GAP;
  return Math.min(TILE.most, Math.max(TILE.least, fits));
}
