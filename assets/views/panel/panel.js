/** One kind of attention: the chosen head large, or a few side by side, and all heads small. */

import { shownName } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { term } from "../../kit/terms.js";
import { MAX_PINS, shownHeads } from "../../state/shown_heads.js";
import { SHOWN } from "../../trace/kinds.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { captionOf } from "../kinds.js";
import { matrixView } from "./matrix.js";
import { panelMenu } from "./menu.js";
import { overviewView } from "./overview.js";
import { tableView } from "./table.js";
import { zooming } from "./zoom.js";

/** @import { Kind } from "../../trace/kinds.js" */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {(anchor: HTMLElement) => void} color  opens how weights are coloured
 * @param {(kind: Kind) => Node} layerView  of many heads, those of the layer at hand
 */
export function panelsView(context, color, layerView) {
  const panels = SHOWN.map((kind) => panelView(context, kind, color, layerView));
  return h("div", { class: "panels" }, ...panels);
}

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {Kind} kind
 * @param {(anchor: HTMLElement) => void} color
 * @param {(kind: Kind) => Node} layerView
 */
function panelView(context, kind, color, layerView) {
  const { t, watch } = context;
  const id = `panel-${kind}`;
  const { items: zoom, onLayout } = zooming(context, kind);
  const note = h("p", { class: "quiet" });
  watch(["trace"], ({ trace }) => {
    note.textContent = captionOf(t, kind, trace);
  });
  const caption = h(
    "div",
    { class: "caption" },
    h(
      "div",
      { class: "title" },
      h("h2", { id }, term(kind.replace("_self", ""), t(`${kind}.title`))),
      h("div", { class: "tools" }, panelMenu(context, kind, { zoom, color })),
    ),
    note,
  );
  const panel = h(
    "figure",
    { class: "panel", "data-kind": kind, "aria-labelledby": id },
    h(
      "div",
      { class: "picture" },
      caption,
      letGoNote(context, kind),
      matricesView(context, kind, onLayout),
      tableView(context, kind),
    ),
    overviewView(context, kind),
  );
  let hasLayer = false;
  watch(["trace"], ({ trace }) => {
    const weights = trace?.weights[kind];
    if (hasLayer || !weights || !areManyHeads(weights)) return;
    hasLayer = true;
    panel.append(layerView(kind));
  });
  // A decoder-only model has neither an encoder nor cross-attention.
  watch(["trace", "kind"], ({ trace, kind: chosen }) => {
    panel.hidden = !trace?.weights[kind] || kind !== chosen;
  });
  return panel;
}

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
function letGoNote({ t, watch }, kind) {
  const note = h("p", { class: "quiet", role: "status" });
  watch(["letGo"], ({ letGo }) => {
    const own = letGo?.kind === kind ? letGo : null;
    note.textContent = own ? t("pin.let_go", { most: MAX_PINS, head: shownName(t, own.head) }) : "";
  });
  return note;
}

/**
 * The heads that are shown large. Their views are made when they are first needed, and stay.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {(layout: import("../../draw/layout.js").Layout) => void} onLayout
 */
function matricesView(context, kind, onLayout) {
  const area = h("div", { class: "matrices" });
  context.watch(["heads", "pins", "tables"], (state) => {
    const { length } = shownHeads(state, kind);
    while (area.childElementCount < length) {
      area.append(matrixView(context, kind, area.childElementCount, onLayout));
    }
    const several = length > 1;
    if (several !== area.classList.contains("several")) {
      area.classList.toggle("several", several);
      // The panel takes a place of its own then: the eye that asked for it follows.
      // A page that only opens stays at its top.
      if (area.closest("[data-ready]")) area.parentElement?.scrollIntoView({ block: "nearest" });
    }
    area.hidden = state.tables[kind] ?? false;
  });
  return area;
}
