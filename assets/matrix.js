/** One head as a large matrix with labels. Its cells are drawn once; a step only moves overlays. */

import { axisLabels, layoutMatrix, measureIn } from "./axes.js";
import { h } from "./dom.js";
import { headTitle } from "./head.js";
import { paintMatrix } from "./paint.js";
import { followPointer } from "./pointer.js";
import { headWeights, keyTokens } from "./trace.js";

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function matrixView(context, kind) {
  const { store, t, watch } = context;
  const decodes = kind !== "encoder_self";
  const canvas = h("canvas", { role: "img" });
  const pointed = h("div", { class: "pointed", hidden: true });
  const tip = h("p", { class: "tip", hidden: true });
  const cells = h(
    "div",
    { class: "cells" },
    canvas,
    decodes ? h("div", { class: "veil" }, h("div", { class: "ahead" })) : null,
    decodes ? h("div", { class: "now" }) : null,
    pointed,
  );
  const columns = h("div", { class: "axis columns" });
  const rows = h("div", { class: "axis rows" });
  const second = h("div", { class: "axis rows second" });
  const plot = h(
    "div",
    { class: "plot" },
    h("span", { class: "axis-title over-columns" }, t("axis.keys")),
    h("span", { class: "axis-title over-rows" }, t(decodes ? "axis.reads" : "axis.queries")),
    decodes ? h("span", { class: "axis-title over-second" }, t("axis.predicts")) : null,
    columns,
    rows,
    decodes ? second : null,
    cells,
  );
  const view = h("div", { class: `matrix ${kind}` }, plot, tip);

  /** @type {import("./axes.js").Layout | undefined} */
  let layout;

  function layOut() {
    const { trace } = store.get();
    const keys = trace?.weights[kind] && keyTokens(trace, kind);
    if (!keys || view.clientWidth === 0) return;
    const queries = decodes ? [trace.tgt_in, trace.tgt_out] : [trace.src];
    const headings = decodes ? [t("axis.reads"), t("axis.predicts")] : [t("axis.queries")];
    const labels = queries.map((tokens, i) => [headings[i], ...tokens]);
    layout = layoutMatrix(view.clientWidth, labels, keys, measureIn(view));
    for (const [name, size] of Object.entries({
      "--cell-width": layout.cellWidth,
      "--cell-height": layout.cellHeight,
      "--row-label": layout.rowLabel,
      "--column-label": layout.columnLabel,
      "--font": layout.font,
    })) {
      plot.style.setProperty(name, `${size}px`);
    }
    plot.style.setProperty("--label-columns", String(queries.length));
    plot.style.setProperty("--rows", String(queries[0].length));
    plot.style.setProperty("--columns", String(keys.length));
    columns.replaceChildren(...axisLabels(keys, layout, "column"));
    rows.replaceChildren(...axisLabels(queries[0], layout, "row"));
    if (decodes) second.replaceChildren(...axisLabels(queries[1], layout, "row"));
    paint();
    markStep();
  }

  function paint() {
    const { trace, heads, theme } = store.get();
    const weights = trace?.weights[kind];
    const chosen = heads[kind];
    if (!weights || !chosen || !layout) return;
    const values = headWeights(weights, chosen.layer, chosen.head);
    paintMatrix(canvas, { values, ...weights, kind, theme, ...layout });
    const name = t(`${kind}.title`);
    canvas.ariaLabel = `${name}, ${headTitle(t, chosen)}`;
  }

  function markStep() {
    if (!decodes) return;
    const { step } = store.get();
    const every = layout?.everyRow ?? 1;
    cells.style.setProperty("--step", String(step));
    for (const axis of [rows, second]) {
      for (const label of [...axis.querySelectorAll(".current, .yields")]) {
        label.classList.remove("current", "yields");
      }
      for (let i = step - every + 1; i < step + every; i++) {
        axis.children[i]?.classList.add("yields");
      }
      axis.children[step]?.classList.replace("yields", "current");
    }
  }

  watch(["trace"], layOut);
  watch(["heads", "theme"], paint);
  watch(["step"], markStep);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);

  followPointer(context, kind, {
    view,
    cells,
    canvas,
    pointed,
    tip,
    rows: [rows, second],
    columns,
    layout: () => layout,
  });
  return view;
}
