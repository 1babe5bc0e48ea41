/** One kind of attention: the chosen head large, or a few side by side, and all heads small. */

import { h } from "./dom.js";
import { exportMenu } from "./export.js";
import { shownHeads } from "./head.js";
import { headsView } from "./heads.js";
import { matrixView } from "./matrix.js";
import { tableButton, tableView } from "./table.js";
import { KINDS } from "./trace.js";
import { zoomButtons } from "./zoom.js";

/** @param {import("./page.js").Context} context */
export function panelsView(context) {
  const panels = h("div", { class: "panels" }, ...KINDS.map((kind) => panelView(context, kind)));
  context.watch(["trace"], ({ trace }) => {
    const count = Object.keys(trace?.weights ?? {}).length;
    panels.style.setProperty("--panels", String(count));
    panels.classList.toggle("alone", count === 1);
  });
  return panels;
}

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
function panelView(context, kind) {
  const { t, watch } = context;
  const id = `panel-${kind}`;
  const { buttons, onLayout } = zoomButtons(context, kind);
  const panel = h(
    "figure",
    { class: "panel", "data-kind": kind, "aria-labelledby": id },
    h(
      "figcaption",
      {},
      h(
        "div",
        { class: "title" },
        h("h2", { id }, t(`${kind}.title`)),
        h(
          "div",
          { class: "tools" },
          tableButton(context, kind),
          ...buttons,
          exportMenu(context, kind),
        ),
      ),
      h("p", { class: "quiet" }, t(`${kind}.caption`)),
    ),
    matricesView(context, kind, onLayout),
    tableView(context, kind),
    headsView(context, kind),
  );
  // A decoder-only model has neither an encoder nor cross-attention.
  watch(["trace", "presenter", "kind"], ({ trace, presenter, kind: presented }) => {
    panel.hidden = !trace?.weights[kind] || (presenter && kind !== presented);
  });
  return panel;
}

/**
 * The heads that are shown large. Their views are made when they are first needed, and stay.
 *
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 * @param {(layout: import("./axes.js").Layout) => void} onLayout
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
      area.parentElement?.scrollIntoView({ block: "nearest" });
    }
    area.hidden = state.tables[kind] ?? false;
  });
  return area;
}
