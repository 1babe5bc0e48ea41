/** Above a matrix of many tokens: closer, farther, all of it, and what one of its points stands for. */

import { h } from "../../kit/dom.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {{by: (factor: number) => void, fit: () => void}} zoom
 */
export function zoomBar({ t }, { by, fit }) {
  /** @type {(name: "in" | "out" | "fit", face: string, key: string, click: () => void) => HTMLButtonElement} */
  const button = (name, face, key, click) => {
    const label = t(`zoom.${name}`);
    const title = key ? `${label} (${key})` : label;
    // What is a word names itself.
    const named = key ? label : null;
    return h("button", { class: `chip zoom-${name}`, "aria-label": named, title, click }, face);
  };
  const closer = button("in", "+", "+", () => by(1.5));
  const farther = button("out", "−", "−", () => by(1 / 1.5));
  const whole = button("fit", t("zoom.whole"), "", fit);
  const note = h("span", { class: "quiet", role: "status" });
  const element = h(
    "div",
    { class: "abreast zoom-bar", hidden: true },
    farther,
    closer,
    whole,
    note,
  );
  return {
    element,
    /**
     * @param {import("../../draw/layout.js").Layout} layout
     * @param {number} zoom
     * @param {number} ratio  pixels for each of CSS
     * @param {string | null} awaited  the head that is on its way
     */
    show({ many = false, cellWidth, cellHeight, scrolls, maxZoom }, zoom, ratio, awaited) {
      element.hidden = !many;
      if (!many) return;
      farther.disabled = whole.disabled = !scrolls;
      closer.disabled = zoom >= maxZoom;
      const shared = [cellWidth, cellHeight].reduce(
        (count, side) => count * Math.ceil(Math.max(1, 1 / (side * ratio))),
        1,
      );
      note.textContent = awaited
        ? t("matrix.awaited", { head: awaited })
        : shared > 1
          ? t("matrix.pooled", { count: shared })
          : "";
    },
  };
}
