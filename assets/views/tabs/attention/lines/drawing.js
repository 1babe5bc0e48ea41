/** The lines themselves, on two canvases: all of them, and over them those that stand out. */

import { paintLines } from "../../../../draw/strokes.js";
import { h } from "../../../../kit/dom.js";

/** @typedef {import("./drawn.js").Drawn} Drawn */

/** @param {string} name  before anything is drawn */
export function lineDrawing(name) {
  const all = h("canvas", { role: "img", "aria-label": name });
  const chosen = h("canvas", { "aria-hidden": "true" });
  const element = h("div", { class: "between" }, all, chosen);
  return {
    element,
    /** @param {string} text */
    describe(text) {
      all.ariaLabel = text;
    },
    isSeen: () => all.clientWidth > 0,
    /**
     * @param {Drawn} drawn
     * @param {(query: number) => boolean} among  whose lines are drawn
     */
    paint(drawn, among) {
      paintLines(all, drawn, among);
    },
    /**
     * @param {Drawn} drawn
     * @param {import("./pointing.js").Standout | null} standout
     * @param {(query: number) => boolean} among
     */
    paintStandout(drawn, standout, among) {
      all.classList.toggle("behind", standout !== null);
      all.classList.toggle("far", standout?.pointed ?? false);
      chosen.hidden = standout === null;
      if (!standout) return;
      const { rows, columns, cell } = standout;
      paintLines(chosen, drawn, (query, key) => {
        const [row, column] = [rows.has(query), columns.has(key)];
        return among(query) && (cell ? row && column : row || column);
      });
    },
  };
}
