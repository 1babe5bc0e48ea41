/** Attention as lines from each token to what it attends to, all heads of a layer at once. */

import { crosshair } from "./crosshair.js";
import { h, tokenNode } from "./dom.js";
import { countLines, headColor, headDash, paintLines } from "./strokes.js";
import { KINDS, keyTokens } from "./trace.js";

/**
 * @typedef {object} Lines
 * @property {import("./trace.js").Kind} kind
 * @property {number | null} layer  null is the last
 * @property {number[]} off  heads that are not drawn
 * @property {number} threshold  smaller weights are not drawn
 */

/** @type {Lines} */
export const LINES = { kind: "cross", layer: null, off: [], threshold: 0.1 };

/** In CSS pixels: a token's height, within these bounds, makes the picture so high. */
const ROW = { least: 20, most: 44, together: 560 };

/** @param {import("./page.js").Context} context */
export function linesView(context) {
  const { store, actions, t, watch } = context;
  const kinds = KINDS.map((kind) => h("option", { value: kind }, t(`${kind}.title`)));
  const kindPicker = h(
    "select",
    {
      id: "lines-kind",
      change: () => actions.drawLines({ kind: KINDS[kindPicker.selectedIndex] }),
    },
    ...kinds,
  );
  const layerPicker = h("select", {
    id: "lines-layer",
    change: () => actions.drawLines({ layer: layerPicker.selectedIndex }),
  });
  const threshold = h("input", {
    type: "range",
    id: "lines-threshold",
    ...{ min: 0, max: 1, step: 0.01 },
    input: () => actions.drawLines({ threshold: threshold.valueAsNumber }),
  });
  const least = h("output", { for: "lines-threshold" });
  const legend = h("div", { class: "chips", role: "group", "aria-label": t("lines.heads") });
  const count = h("p", { role: "status", class: "quiet", "aria-label": t("lines.count_name") });

  const all = h("canvas", { role: "img", "aria-label": t("lines.caption") });
  const chosen = h("canvas", { "aria-hidden": "true" });
  const keys = h("ol", { class: "side keys", "aria-label": t("lines.keys") });
  const queries = h("ol", { class: "side queries", "aria-label": t("lines.queries") });
  const heading = h("span", { class: "axis-title" });
  const picture = h(
    "div",
    { class: "bipartite" },
    h("span", { class: "axis-title" }, t("lines.keys")),
    h("span", { class: "axis-title direction", "aria-hidden": "true" }, `◂ ${t("axis.keys")}`),
    heading,
    keys,
    h("div", { class: "between" }, all, chosen),
    queries,
  );

  /** What is drawn, as long as the trace and the settings stay. */
  function strokes() {
    const { trace, lines, theme } = store.get();
    if (!trace) return null;
    const kind = trace.weights[lines.kind] ? lines.kind : "decoder_self";
    const weights = trace.weights[kind];
    if (!weights) return null;
    const layer = Math.min(lines.layer ?? Number.POSITIVE_INFINITY, weights.layers - 1);
    const heads = Array.from({ length: weights.heads }, (_, head) => head).filter(
      (head) => !lines.off.includes(head),
    );
    const share = Math.floor(ROW.together / Math.max(weights.queries, weights.keys));
    const row = Math.max(ROW.least, Math.min(ROW.most, share));
    return { trace, weights, kind, layer, heads, threshold: lines.threshold, theme, row };
  }

  /** @type {{side: "rows" | "columns", index: number} | null} */
  let own = null;

  /** Which lines stand out: the pointed token's or cell's, else the current step's; else none do. */
  function standOut() {
    const drawn = strokes();
    if (!drawn) return null;
    const state = store.get();
    const light = own
      ? { rows: [], columns: [], [own.side]: [own.index] }
      : crosshair(drawn.kind, state);
    const cell = !own && state.hover?.kind === drawn.kind;
    const [rows, columns] = [new Set(light.rows), new Set(light.columns)];
    if (rows.size + columns.size) return { rows, columns, pointed: true, cell };
    if (drawn.kind === "encoder_self") return null;
    return { rows: new Set([state.step]), columns, pointed: false, cell };
  }

  function paintChosen() {
    const drawn = strokes();
    if (!drawn || all.clientWidth === 0) return;
    const light = standOut();
    all.classList.toggle("behind", light !== null);
    all.classList.toggle("far", light?.pointed ?? false);
    chosen.hidden = light === null;
    for (const [list, lit] of /** @type {const} */ ([
      [keys, light?.columns],
      [queries, light?.rows],
    ])) {
      for (const [i, item] of [...list.children].entries()) {
        item.classList.toggle("lit", (light?.pointed && lit?.has(i)) ?? false);
      }
    }
    if (!light) return;
    const { rows, columns, cell } = light;
    paintLines(chosen, drawn, (query, key) =>
      cell ? rows.has(query) && columns.has(key) : rows.has(query) || columns.has(key),
    );
  }

  function paint() {
    const drawn = strokes();
    if (!drawn || all.clientWidth === 0) return;
    paintLines(all, drawn);
    paintChosen();
  }

  function label() {
    const drawn = strokes();
    if (!drawn) return;
    const { trace, weights, kind, layer, heads, theme, row } = drawn;
    const { off } = store.get().lines;
    const decodes = kind !== "encoder_self";
    for (const [i, option] of kinds.entries()) option.hidden = !trace.weights[KINDS[i]];
    kindPicker.value = kind;
    layerPicker.replaceChildren(
      ...Array.from({ length: weights.layers }, (_, n) =>
        h("option", { value: n }, t("head.layer", { n: n + 1 })),
      ),
    );
    layerPicker.selectedIndex = layer;
    picture.style.setProperty("--row", `${row}px`);
    picture.style.setProperty("--rows", String(Math.max(weights.queries, weights.keys)));
    heading.textContent = decodes
      ? `${t("axis.reads")} → ${t("axis.predicts")}`
      : t("axis.queries");
    keys.replaceChildren(
      ...keyTokens(trace, kind).map((token) => h("li", { title: token }, tokenNode(token))),
    );
    queries.replaceChildren(
      ...(decodes ? trace.tgt_in : trace.src).map((token, i) =>
        decodes
          ? h(
              "li",
              { title: `${token} → ${trace.tgt_out[i]}` },
              tokenNode(token),
              h("span", { class: "quiet" }, " → "),
              tokenNode(trace.tgt_out[i]),
            )
          : h("li", { title: token }, tokenNode(token)),
      ),
    );
    const focused = [...legend.children].indexOf(/** @type {Element} */ (document.activeElement));
    legend.replaceChildren(
      ...Array.from({ length: weights.heads }, (_, head) =>
        h(
          "button",
          {
            type: "button",
            class: "chip head-chip",
            style: `--head: ${headColor(head, theme)}`,
            "data-dashed": headDash(head).length > 0,
            "aria-pressed": String(!off.includes(head)),
            click: () => toggle(head),
          },
          t("lines.head", { n: head + 1 }),
        ),
      ),
      h(
        "button",
        {
          type: "button",
          class: "chip",
          click: () =>
            actions.drawLines({ off: heads.length ? [...Array(weights.heads).keys()] : [] }),
        },
        t(heads.length ? "lines.none" : "lines.all"),
      ),
    );
    /** @type {HTMLElement | undefined} */ (legend.children[focused])?.focus();
    markStep();
  }

  /** @param {number} head */
  function toggle(head) {
    const { off } = store.get().lines;
    const on = off.includes(head);
    actions.drawLines({ off: on ? off.filter((other) => other !== head) : [...off, head] });
  }

  function tell() {
    const drawn = strokes();
    if (!drawn) return;
    const { shown, total } = countLines(drawn);
    count.textContent = t("lines.count", { shown, total });
    least.textContent = drawn.threshold.toFixed(2);
    threshold.value = String(drawn.threshold);
    threshold.style.setProperty("--share", String(drawn.threshold));
    const layer = t("head.layer", { n: drawn.layer + 1 });
    all.ariaLabel = `${t(`${drawn.kind}.title`)}, ${layer}. ${count.textContent}`;
  }

  function markStep() {
    const drawn = strokes();
    const { step } = store.get();
    const decodes = drawn?.kind !== "encoder_self";
    for (const [i, item] of [...queries.children].entries()) {
      item.ariaCurrent = decodes && i === step ? "step" : null;
      item.classList.toggle("later", decodes && i > step);
    }
  }

  /** @type {(list: HTMLElement, side: "rows" | "columns") => void} */
  function follow(list, side) {
    list.addEventListener("pointerover", ({ target }) => {
      const index = [...list.children].findIndex((item) =>
        item.contains(/** @type {Node} */ (target)),
      );
      own = index < 0 ? null : { side, index };
      paintChosen();
    });
    list.addEventListener("pointerleave", () => {
      own = null;
      paintChosen();
    });
  }
  follow(keys, "columns");
  follow(queries, "rows");

  /** @type {unknown[]} */
  let labelled = [];
  watch(["trace", "lines", "theme"], ({ trace, lines: { kind, layer, off }, theme }) => {
    const labels = [trace, kind, layer, off, theme];
    if (labels.some((part, i) => part !== labelled[i])) label();
    labelled = labels; // Dragging the threshold changes none of them.
    tell();
    paint();
  });
  watch(["step"], () => {
    markStep();
    paintChosen();
  });
  watch(["hover", "token"], paintChosen);
  new ResizeObserver(paint).observe(picture);

  return h(
    "div",
    { class: "lines" },
    h(
      "div",
      { class: "fields" },
      h("label", { for: "lines-kind", class: "spoken" }, t("lines.kind")),
      kindPicker,
      h("label", { for: "lines-layer", class: "spoken" }, t("lines.layer")),
      layerPicker,
      h(
        "div",
        { class: "field" },
        h("label", { for: "lines-threshold" }, t("lines.threshold")),
        threshold,
        least,
      ),
      count,
    ),
    legend,
    h("p", { class: "quiet" }, t("lines.caption")),
    picture,
  );
}
