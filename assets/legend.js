/** What the colours and the hatchings mean, once for all panels, and how to change the colours. */

import { weightColor } from "./color.js";
import { coloringView } from "./coloring.js";
import { h } from "./dom.js";

const SAMPLES = 24;

/** @param {import("./page.js").Context} context */
export function legendView(context) {
  const { t, watch } = context;
  const name = h("span");
  const least = h("span");
  const most = h("span");
  const scale = h("span", { class: "scale" });
  watch(["theme", "look"], ({ theme, look }) => {
    const full = look.rank ? 1 : look.full;
    const colors = Array.from({ length: SAMPLES + 1 }, (_, i) =>
      weightColor((i / SAMPLES) * full, theme, look),
    );
    scale.style.backgroundImage = `linear-gradient(to right, ${colors.join(", ")})`;
    name.textContent = t(look.rank ? "legend.rank" : "legend.weight");
    least.textContent = look.rank ? t("legend.least") : "0";
    most.textContent = look.rank ? t("legend.most") : full < 1 ? `≥ ${full.toFixed(2)}` : "1";
  });
  return h(
    "section",
    { class: "legend", "aria-label": t("legend") },
    h("span", {}, name, h("span", { class: "range" }, least, scale, most)),
    coloringView(context),
    h("span", {}, h("span", { class: "swatch hatched" }), t("legend.masked")),
    h("span", {}, h("span", { class: "swatch veiled" }), t("legend.ahead")),
    h("span", {}, h("span", { class: "swatch framed" }), t("legend.now")),
  );
}
