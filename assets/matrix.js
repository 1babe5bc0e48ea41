/** One head as a large matrix with labels. Its cells are drawn once; a step only moves overlays. */

import { axisLabels, layoutMatrix, measureIn } from "./axes.js";
import { h, tokenNode } from "./dom.js";
import { fill } from "./i18n.js";
import { paintMatrix } from "./paint.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

const TIP_DISTANCE = 8;

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function matrixView({ store, actions, t, watch }, kind) {
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

  let [cell, every] = [0, 1];

  function layOut() {
    const { trace } = store.get();
    const keys = trace?.weights[kind] && keyTokens(trace, kind);
    if (!keys || view.clientWidth === 0) return;
    const queries = decodes ? [trace.tgt_in, trace.tgt_out] : [trace.src];
    const headings = decodes ? [t("axis.reads"), t("axis.predicts")] : [t("axis.queries")];
    const labels = queries.map((tokens, i) => [headings[i], ...tokens]);
    const layout = layoutMatrix(view.clientWidth, labels, keys, measureIn(view));
    ({ cell, every } = layout);
    for (const [name, size] of Object.entries({
      "--cell": layout.cell,
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
    if (!weights || !chosen || cell === 0) return;
    const values = headWeights(weights, chosen.layer, chosen.head);
    paintMatrix(canvas, { values, ...weights, kind, theme, cell });
    const name = t(`${kind}.title`);
    canvas.ariaLabel = `${name}, ${t("head.name", { layer: chosen.layer + 1, head: chosen.head + 1 })}`;
  }

  function markStep() {
    if (!decodes) return;
    const { step } = store.get();
    cells.style.setProperty("--step", String(step));
    for (const axis of [rows, second]) {
      for (const label of [...axis.querySelectorAll(".current, .yields")]) {
        label.classList.remove("current", "yields");
      }
      for (let i = step - every + 1; i < step + every; i++)
        axis.children[i]?.classList.add("yields");
      axis.children[step]?.classList.replace("yields", "current");
    }
  }

  watch(["trace"], layOut);
  watch(["heads", "theme"], paint);
  watch(["step"], markStep);
  // Its callback also runs once when it starts, which is the first drawing.
  new ResizeObserver(layOut).observe(view);

  /** @param {PointerEvent} event */
  function point({ offsetX, offsetY }) {
    const weights = store.get().trace?.weights[kind];
    if (!weights) return;
    const query = Math.min(weights.queries - 1, Math.max(0, Math.floor(offsetY / cell)));
    const key = Math.min(weights.keys - 1, Math.max(0, Math.floor(offsetX / cell)));
    const { hover } = store.get();
    if (hover?.kind !== kind || hover.query !== query || hover.key !== key) {
      actions.point({ kind, query, key });
    }
  }
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", () => actions.point(null));

  watch(["hover"], ({ trace, heads, hover }) => {
    const weights = trace?.weights[kind];
    const chosen = heads[kind];
    const here = hover?.kind === kind && weights && chosen;
    pointed.hidden = tip.hidden = !here;
    for (const axis of [columns, rows, second]) {
      axis.querySelector(".under")?.classList.remove("under");
    }
    if (!here) return;
    const { query, key } = hover;
    pointed.style.transform = `translate(${key * cell}px, ${query * cell}px)`;
    columns.children[key]?.classList.add("under");
    rows.children[query]?.classList.add("under");
    second.children[query]?.classList.add("under");

    const weight = headWeights(weights, chosen.layer, chosen.head)[query * weights.keys + key];
    const text = t(decodes ? "tip.decoder" : "tip.encoder");
    tip.replaceChildren(
      ...fill(text, {
        query: tokenNode((decodes ? trace.tgt_in : trace.src)[query]),
        predicts: tokenNode(trace.tgt_out[query] ?? ""),
        key: tokenNode(keyTokens(trace, kind)[key]),
        weight: h("strong", {}, isMasked(kind, query, key) ? t("tip.masked") : weight.toFixed(3)),
      }),
    );
    const x = cells.offsetLeft + (key + 0.5) * cell - tip.offsetWidth / 2;
    const left = Math.max(0, Math.min(view.clientWidth - tip.offsetWidth, x));
    const above = query * cell - tip.offsetHeight - TIP_DISTANCE;
    const top = cells.offsetTop + (above < 0 ? (query + 1) * cell + TIP_DISTANCE : above);
    tip.style.transform = `translate(${left}px, ${top}px)`;
  });
  return view;
}
