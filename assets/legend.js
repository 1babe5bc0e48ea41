/** What the colours and the hatchings mean, once for all panels. */

import { weightColor } from "./color.js";
import { h } from "./dom.js";

const SAMPLES = 16;

/** @param {import("./page.js").Context} context */
export function legendView({ t, watch }) {
  const scale = h("span", { class: "scale" });
  watch(["theme"], ({ theme }) => {
    const colors = Array.from({ length: SAMPLES + 1 }, (_, i) => weightColor(i / SAMPLES, theme));
    scale.style.backgroundImage = `linear-gradient(to right, ${colors.join(", ")})`;
  });
  return h(
    "section",
    { class: "legend", "aria-label": t("legend") },
    h("span", {}, t("legend.weight"), h("span", { class: "range" }, "0", scale, "1")),
    h("span", {}, h("span", { class: "swatch hatched" }), t("legend.masked")),
    h("span", {}, h("span", { class: "swatch veiled" }), t("legend.ahead")),
    h("span", {}, h("span", { class: "swatch framed" }), t("legend.now")),
  );
}
