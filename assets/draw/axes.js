/** Labels along a matrix. */

import { mustTurn } from "./layout.js";
import { tokenNode, tokenTerm } from "./token.js";

/** @import { Layout } from "./layout.js" */

/** Of a label, along its text, as the style sheet has it. */
const PADDING = { row: 12, column: 4 };

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * How labels stand in a vertical line: Chinese, Japanese and Korean upright, other scripts turned.
 *
 * @param {string} text  of all of them
 */
export function turnOf(text) {
  return CJK.test(text) ? "stacked" : "turned";
}

/**
 * @param {string[]} tokens
 * @param {Layout} layout
 * @param {"row" | "column"} side
 * @param {(text: string, font: number) => number} measure
 * @returns {HTMLElement[]}
 */
export function axisLabels(tokens, layout, side, measure) {
  const { everyRow, everyColumn, rowLabel, columnLabel, font } = layout;
  const { raised } = layout;
  const [every, room] =
    side === "row"
      ? [everyRow, rowLabel - PADDING.row]
      : [everyColumn, columnLabel - PADDING.column];
  const turned = turnOf(tokens.join(""));
  /** @param {number} i */
  const inColumn = (i) => {
    if (raised) return raised.includes(i) ? "raised" : "";
    return mustTurn(tokens[i], layout, measure) ? turned : "";
  };
  return tokens.map((token, i) => {
    const turn = side === "column" ? inColumn(i) : "";
    const thinned = i % every ? "thinned" : "";
    const long = !(side === "column" && raised) && measure(token, font) > room ? "long" : "";
    const label = tokenNode(token);
    label.className += ` label ${turn} ${thinned} ${long}`;
    if (!tokenTerm(token)) label.title = token;
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
    for (const index of indices) {
      for (let i = Math.max(0, index - every + 1); i < index + every; i++) {
        const label = axis.children[i];
        if (!label) break;
        label.classList.add(indices.includes(i) ? chosen : beside);
        marked.push(label);
      }
    }
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
  return (text, font) => (measured.measureText(text).width * font) / 100;
}
