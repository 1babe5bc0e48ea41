/** Weights as lines between two columns of tokens, on canvases: thousands stay smooth. */

import { firstVisible, isMasked, visibleKeys } from "../trace/kinds.js";
import { headWeights, maskAt } from "../trace/weights.js";
import { pixelRatio } from "./paint.js";

/** @import { Weights } from "../trace/weights.js" */

/**
 * One colour a head, told apart by colour-blind people too; heads past these repeat them, dashed.
 * After Okabe and Ito, "Color Universal Design", 2008, with each colour's lightness moved until it
 * stands out 3 to 1 from the page.
 *
 * @type {Record<import("./color.js").Theme, string[]>}
 */
const COLORS = {
  light: [
    ...["#00549a", "#d55e00", "#00875f", "#c0569a"],
    ...["#2a93d5", "#b07a00", "#191d29", "#85899a"],
  ],
  dark: [
    ...["#4f9be8", "#ff7f3f", "#1fc79a", "#ee9acb"],
    ...["#a5dcff", "#ffc02e", "#eceef4", "#7f879b"],
  ],
};

const DASHES = [[], [7, 4], [2, 4]];

/** Widths of strokes, in CSS pixels. */
const [THINNEST, WIDEST] = [0.6, 7];

/** The colour of a head's lines. @type {(head: number, theme: import("./color.js").Theme) => string} */
export function headColor(head, theme) {
  return COLORS[theme][head % COLORS[theme].length];
}

/** The dashes of a head's lines. @param {number} head */
export function headDash(head) {
  return DASHES[Math.floor(head / COLORS.light.length) % DASHES.length];
}

/**
 * @typedef {object} Strokes
 * @property {Weights} weights
 * @property {import("../trace/kinds.js").Kind} kind
 * @property {number} layer
 * @property {number[]} heads  those that are drawn
 * @property {number} threshold  the least weight that is drawn
 */

/**
 * Each line that is drawn.
 *
 * @param {Strokes} strokes
 * @param {(head: number, query: number, key: number, weight: number) => void} visit
 */
function eachLine({ weights, kind, layer, heads, threshold }, visit) {
  const { queries, keys } = weights;
  const mask = maskAt(weights, { layer });
  for (const head of heads) {
    const values = headWeights(weights, { layer, head });
    for (let query = 0; query < queries; query++) {
      const visible = visibleKeys(kind, query, keys, mask);
      for (let key = firstVisible(kind, query, mask); key < visible; key++) {
        const weight = values[query * keys + key];
        if (isMasked(kind, query, key, mask)) continue;
        if (weight >= threshold) visit(head, query, key, weight);
      }
    }
  }
}

/**
 * Counts lines that are drawn, and those below the threshold.
 *
 * @param {Strokes} strokes
 * @param {(query: number) => boolean} among  which lines may be seen
 * @returns {{shown: number, total: number}}  total: had every one of them weight enough
 */
export function countLines(strokes, among) {
  let [shown, total] = [0, 0];
  eachLine({ ...strokes, threshold: 0 }, (_head, query, _key, weight) => {
    if (!among(query)) return;
    total++;
    if (weight >= strokes.threshold) shown++;
  });
  return { shown, total };
}

/**
 * Queries on the right, keys on the left; the shorter column stands in the middle of the longer.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Strokes & {row: number, theme: import("./color.js").Theme}} strokes  `row` is a
 *   token's height in CSS pixels
 * @param {(query: number, key: number) => boolean} [among]  which lines; by default all
 */
export function paintLines(canvas, strokes, among = () => true) {
  const { weights, row, theme, heads } = strokes;
  const { queries, keys } = weights;
  const [width, height] = [canvas.clientWidth, Math.max(queries, keys) * row];
  const ratio = pixelRatio(Math.max(width, height));
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  context.globalAlpha = 0.75;
  // Heads that share a cell run side by side.
  const lane = Math.min(4, (0.75 * row) / heads.length);
  const offsets = new Map(heads.map((head, i) => [head, (i - (heads.length - 1) / 2) * lane]));
  const middle = (/** @type {number} */ index, /** @type {number} */ count) =>
    height / 2 + (index + 0.5 - count / 2) * row;
  eachLine(strokes, (head, query, key, weight) => {
    if (!among(query, key)) return;
    const offset = offsets.get(head) ?? 0;
    const [from, to] = [middle(key, keys) + offset, middle(query, queries) + offset];
    context.beginPath();
    context.moveTo(0, from);
    context.bezierCurveTo(width * 0.4, from, width * 0.6, to, width, to);
    context.lineWidth = THINNEST + (WIDEST - THINNEST) * weight;
    context.strokeStyle = headColor(head, theme);
    context.setLineDash(headDash(head));
    context.stroke();
  });
}
