/** Labels along a matrix. */

import { axisLabel } from "./axis_label.js";
import { thinnedIn } from "./thinned_axis.js";

/** @import { Layout } from "./layout.js" */

/**
 * The labels of an axis, each where its cells are.
 *
 * @param {string[]} tokens
 * @param {Layout} layout
 * @param {"row" | "column"} side
 * @param {(text: string, font: number) => number} measure
 * @returns {HTMLElement[]}
 */
export function axisLabels(tokens, layout, side, measure) {
  const { everyRow, everyColumn, raised } = layout;
  const every = side === "row" ? everyRow : everyColumn;
  const makeLabel = axisLabel(tokens, layout, side, measure);
  return tokens.map((token, i) => {
    const label = makeLabel(token, raised?.includes(i));
    label.classList.toggle("thinned", i % every > 0);
    return label;
  });
}

/**
 * Makes labels stand out, and those beside them, which they would overlap, give way.
 *
 * @param {Element} axis
 * @param {string} chosen  the class of labels that stand out
 * @param {string} beside  the class of those that give way
 * @returns {(indices: number[], every: number) => void}  these labels and no others; one in `every`
 *   has room
 */
export function labelMarker(axis, chosen, beside) {
  /** @type {Element[]} */
  let marked = [];
  return (indices, every) => {
    for (const label of marked) label.classList.remove(chosen, beside);
    marked = [];
    const thinned = thinnedIn(axis);
    const at = (/** @type {number} */ i) => {
      if (!thinned) return axis.children[i];
      return indices.includes(i) ? thinned.need(i) : thinned.at(i);
    };
    for (const index of indices) {
      for (let i = Math.max(0, index - every + 1); i < index + every; i++) {
        const label = at(i);
        if (!label) continue;
        label.classList.add(indices.includes(i) ? chosen : beside);
        marked.push(label);
      }
    }
    thinned?.tidy();
  };
}

/** Made when it is first needed: what measures nothing needs no browser. @type {CanvasRenderingContext2D | null} */
let context = null;

/**
 * How wide a token is drawn in an element's font.
 *
 * @param {Element} element
 * @returns {(text: string, font: number) => number}
 */
export function measureIn(element) {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return (text, font) => text.length * font;
  const measured = context;
  measured.font = `100px ${getComputedStyle(element).fontFamily}`;
  // A matrix of many tokens asks for the same words again and again.
  /** @type {Map<string, number>} */
  const widths = new Map();
  return (text, font) => {
    const width = widths.get(text) ?? measured.measureText(text).width;
    widths.set(text, width);
    return (width * font) / 100;
  };
}
