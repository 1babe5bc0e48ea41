/** What the colours and the hatchings mean, once for all panels. */

import { weightColor } from "../draw/color.js";
import { h } from "../kit/dom.js";
import { briefText } from "../kit/numbers.js";
import { term } from "../kit/terms.js";
import { hasMask, KINDS, onlyReads } from "../trace/kinds.js";

const SAMPLES = 24;

/**
 * The legend: the scale of colours, from 0 to the weight that has the full one, and what hatchings mean.
 *
 * @param {import("../state/actions.js").Context} context
 */
export function legendView(context) {
  const { actions, t, watch } = context;
  // Both texts take their room, of which one is seen: the panels below stay where they are.
  const names = either(term("weight", t("legend.weight")), term("rank", t("legend.rank")));
  const number = h("span");
  const least = either(h("span", {}, "0"), h("span", {}, t("legend.least")));
  const most = either(number, h("span", {}, t("legend.most")));
  const scale = h("span", { class: "scale" });
  watch(["theme", "coloring"], ({ theme, coloring }) => {
    const full = coloring.rank ? 1 : coloring.full;
    const colors = Array.from({ length: SAMPLES + 1 }, (_, i) =>
      weightColor((i / SAMPLES) * full, theme, coloring),
    );
    scale.style.backgroundImage = `linear-gradient(to right, ${colors.join(", ")})`;
    number.textContent = full < 1 ? `≥ ${briefText(full)}` : "1";
    for (const each of [names, least, most]) each.classList.toggle("other", coloring.rank);
  });
  const hide = h("input", { type: "checkbox", change: () => actions.hideNext(hide.checked) });
  watch(["hiding"], ({ hiding }) => (hide.checked = hiding));
  const masked = term("masked", t("legend.masked"));
  const hatched = h("span", {}, h("span", { class: "swatch hatched" }), masked);
  const ahead = h("span", {}, h("span", { class: "swatch veiled" }), t("legend.ahead"));
  const hideNext = h("label", { class: "hide-next", title: "H" }, hide, t("hide_next"));
  const now = h("span", {});
  watch(["trace"], ({ trace }) => {
    const reads = onlyReads(trace);
    ahead.hidden = hideNext.hidden = reads;
    now.textContent = t(reads ? "legend.now_token" : "legend.now");
    const given = trace?.version === 2;
    hatched.hidden = given && !hidesAny(trace);
    masked.textContent = t(given ? "legend.masked_any" : "legend.masked");
  });
  return h(
    "section",
    { class: "legend", "aria-label": t("legend") },
    h("span", {}, names, h("span", { class: "range" }, least, scale, most)),
    hatched,
    ahead,
    h("span", {}, h("span", { class: "swatch framed" }), now),
    hideNext,
  );
}

/** @type {(trace: import("../trace/trace.js").Trace) => boolean}  whether anything is masked in it */
function hidesAny({ weights }) {
  return KINDS.some((kind) => {
    const own = weights[kind];
    return own !== undefined && hasMask(kind, own.keys, own.causal);
  });
}

/**
 * Two texts in one place.
 *
 * @param {HTMLElement} one
 * @param {HTMLElement} other  which is seen while the class `other` is set
 */
function either(one, other) {
  return h("span", { class: "either" }, one, other);
}
