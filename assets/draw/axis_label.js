/** One label beside a matrix: turned, raised or cut, as there is room for it. */

import { mustTurn } from "./layout.js";
import { tokenNode, tokenTerm } from "./token.js";

/** @import { Layout } from "./layout.js" */

/** Padding of a label, along its text, as the style sheet has it. */
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
 * Makes the labels of one axis.
 *
 * @param {string[]} tokens  of the whole axis
 * @param {Layout} layout
 * @param {"row" | "column"} side
 * @param {(text: string, font: number) => number} measure
 * @returns {(token: string, isRaised?: boolean) => HTMLElement}  makes a label
 */
export function axisLabel(tokens, layout, side, measure) {
  const { rowLabel, columnLabel, font, raised } = layout;
  const room = side === "row" ? rowLabel - PADDING.row : columnLabel - PADDING.column;
  const turned = turnOf(tokens.join(""));
  return (token, isRaised = false) => {
    const turns = side === "column" && !raised && mustTurn(token, layout, measure);
    const long = !(side === "column" && raised) && measure(token, font) > room;
    const label = tokenNode(token);
    label.classList.add("label");
    if (side === "column" && isRaised) label.classList.add("raised");
    if (turns) label.classList.add(turned);
    if (long) label.classList.add("long");
    if (!tokenTerm(token)) label.title = token;
    return label;
  };
}
