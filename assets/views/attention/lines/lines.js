/** Attention as lines from each token to what it attends to, all heads of a layer at once. */

import { paintLines } from "../../../draw/strokes.js";
import { headTitle } from "../../../draw/titles.js";
import { h } from "../../../kit/dom.js";
import { haveChanged } from "../../../state/store.js";
import { lineControls } from "./controls.js";
import { drawnLines, standsOut } from "./drawn.js";
import { lineLabels } from "./labels.js";
import { lineLegend } from "./legend.js";
import { linePointing } from "./pointing.js";

/** @param {import("../../../state/actions.js").Context} context */
export function linesView(context) {
  const { store, t, watch } = context;
  const controls = lineControls(context);
  const legend = lineLegend(context);
  // All lines, and over them those that stand out.
  const all = h("canvas", { role: "img", "aria-label": t("lines.caption") });
  const chosen = h("canvas", { "aria-hidden": "true" });
  const labels = lineLabels(t);
  const standout = linePointing(labels, paintStandout);
  const picture = pictureOf(t, labels, [all, chosen]);

  function paint() {
    const drawn = drawnLines(store.get());
    if (!drawn || !all.clientWidth) return;
    paintLines(all, drawn, (query, key) => drawn.seen(query) && drawn.among(query, key));
    paintStandout();
  }

  function paintStandout() {
    const drawn = drawnLines(store.get());
    if (!drawn || !all.clientWidth) return;
    const light = standout(drawn.kind, store.get());
    labels.light(light);
    all.classList.toggle("behind", light !== null);
    all.classList.toggle("far", light?.pointed ?? false);
    chosen.hidden = light === null;
    if (light) paintLines(chosen, drawn, (query, key) => standsOut(drawn, light, query, key));
  }

  function markStep() {
    const drawn = drawnLines(store.get());
    if (drawn) labels.markStep(drawn.trace, drawn.kind, store.get().step);
  }

  /** @param {import("./drawn.js").Drawn} drawn */
  function label(drawn) {
    const { weights, row } = drawn;
    picture.style.setProperty("--row", `${row}px`);
    picture.style.setProperty("--rows", String(Math.max(weights.queries, weights.keys)));
    controls.offer(drawn);
    labels.show(drawn);
    legend.show(drawn);
    markStep();
  }

  /** @param {import("./drawn.js").Drawn} drawn */
  function tell(drawn) {
    const { joined, place } = drawn;
    const name = joined ? headTitle(t, joined) : t("head.layer", { n: place.layer + 1 });
    all.ariaLabel = `${t(`${drawn.kind}.title`)}, ${name}. ${controls.tell(drawn)}`;
  }

  let hidden = false;
  const [labelsChanged, thresholdChanged] = [haveChanged(), haveChanged()];
  watch(["trace", "lines", "theme", "kind", "heads", "pair", "arrivals"], (state) => {
    const { trace, theme } = state;
    const { layer, heads, threshold } = state.lines;
    const drawn = drawnLines(state);
    if (!drawn) return;
    const own = String(Object.values(state.heads[drawn.kind] ?? {}));
    const where = [drawn.kind, drawn.layer, own, drawn.heads.join(), state.pair, state.arrivals];
    // Dragging the threshold changes none of them.
    const anew = labelsChanged(trace, layer, heads, theme, ...where);
    if (!thresholdChanged(threshold) && !anew) return; // what changed is of no line
    if (anew) label(drawn);
    tell(drawn);
    paint();
  });
  watch(["step", "hiding"], ({ hiding }) => {
    markStep();
    if (hiding || hidden) {
      const drawn = drawnLines(store.get());
      if (drawn) tell(drawn);
      paint();
    } else paintStandout();
    hidden = hiding;
  });
  watch(["hover", "token"], paintStandout);
  new ResizeObserver(paint).observe(picture);

  return h(
    "div",
    { class: "lines", role: "group", "aria-label": t("picture.lines") },
    controls.element,
    legend.element,
    picture,
    h("p", { class: "quiet" }, t("lines.caption")),
  );
}

/** Keys and queries, lines between them. @type {(t: import("../../../kit/i18n.js").Translate, labels: ReturnType<typeof lineLabels>, canvases: HTMLElement[]) => HTMLElement} */
function pictureOf(t, { heading, keys, queries }, canvases) {
  return h(
    "div",
    { class: "bipartite" },
    h("span", { class: "axis-title" }, t("lines.keys")),
    h("span", { class: "axis-title direction", "aria-hidden": "true" }, `◂ ${t("axis.keys")}`),
    heading,
    keys,
    h("div", { class: "between" }, ...canvases),
    queries,
  );
}
