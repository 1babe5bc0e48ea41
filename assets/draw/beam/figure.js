/** A beam as a drawing for a paper: both rows of words, and the light between them, on white. */

import { s } from "../../kit/dom.js";
import { lampOf } from "../../trace/beam.js";
import { isMasked, targetWords } from "../../trace/kinds.js";
import { directionOf } from "../../trace/scripts.js";
import { maskAt } from "../../trace/weights.js";
import { weightColor } from "../color.js";
import { PLAIN } from "../coloring.js";
import { headColor } from "../strokes.js";
import { INK, MARGIN, measure, SIZE, sheet, text } from "../svg.js";
import { figureTitle, headTitle } from "../titles.js";
import { FADED, strength } from "./paint.js";
import { corners, hueOf, ribbonsOf } from "./ribbons.js";

const [NOW, WASH] = ["#d97706", "#fdecc8"];

const [GAP, PAD, ROW, HEIGHT] = [14, 7, 24, 96];

/** Pixels between words, at most: a short row stands in the middle of a long one. */
const APART = 54;

/** A word as wide as this stands alone in a wide row. */
const LARGER = 1.15;

/**
 * @typedef {object} Shown
 * @property {import("../../trace/trace.js").Trace} trace
 * @property {import("../../trace/kinds.js").Kind} kind
 * @property {import("../../trace/choice.js").Choice[]} choices
 * @property {import("../../trace/beam.js").Focus} focus
 * @property {import("../../trace/beam.js").Ray[]} rays
 * @property {Float32Array | null} row
 * @property {string} sentence  what the picture says
 */

/**
 * The beam as a figure for a paper.
 *
 * @param {Shown} shown
 * @param {import("../../kit/i18n.js").Translate} t
 * @returns {{root: SVGElement, width: number, height: number}}
 */
export function beamFigure({ trace, kind, choices, focus, rays, row, sentence }, t) {
  const target = targetWords(trace);
  const above = kind === "decoder_self" ? target : trace.src;
  const below = kind === "encoder_self" ? trace.src : target;
  const wide = Math.max(...[above, below].map(lengthOf));
  const [words, lamps] = [above, below].map((tokens) => placed(tokens, wide));
  const legend = choices.length > 1;
  const title = legend ? t(`${kind}.title`) : figureTitle(t, kind, choices[0]);
  const caption = `${trace.model}: ${trace.source}`;
  const top = MARGIN + 2 * SIZE.title + GAP + (legend ? SIZE.label + GAP : 0);
  const widest = Math.max(...[title, caption, sentence].map(measure)) * 1.3;
  const width = Math.ceil(Math.max(wide, widest) + 2 * MARGIN);
  const height = Math.ceil(top + 2 * ROW + HEIGHT + 2 * GAP + SIZE.label + MARGIN);
  const root = sheet(width, height, title, caption);
  const colors = choices.map((_, slot) =>
    legend ? headColor(hueOf(choices, slot), "light") : NOW,
  );
  if (legend) root.append(...names(choices, colors, top - GAP, t));
  for (const [slot, color] of colors.entries()) root.append(fading(slot, color, HEIGHT));
  const scene = s("g", { transform: `translate(${MARGIN} ${top})` });
  const light = s("g", { transform: `translate(0 ${ROW + 3})` });
  const how = { words, lamps, view: wide, heads: choices.length };
  for (const ribbon of ribbonsOf(rays, { ...how, lampOf: (query) => lampOf(trace, kind, query) })) {
    const points = corners(ribbon, HEIGHT - 6).map(([x, y]) => `${round(x)},${round(y)}`);
    const { head, weight } = ribbon.ray;
    const opacity = round(strength(weight));
    light.append(s("polygon", { points: points.join(" "), fill: `url(#light-${head})`, opacity }));
  }
  const { query } = focus;
  const weights = trace.weights[kind];
  const causal = weights && maskAt(weights, choices[0]);
  const shade = (/** @type {number} */ key) =>
    !row || key >= row.length || (query !== null && isMasked(kind, query, key, causal))
      ? null
      : row[key];
  scene.append(
    light,
    ...above.flatMap((token, i) => chip(token, words[i], 0, { weight: shade(i) })),
    ...below.flatMap((token, i) =>
      chip(token, lamps[i], ROW + HEIGHT, {
        lamp: query !== null && i === lampOf(trace, kind, query),
      }),
    ),
  );
  root.append(scene, text(sentence, MARGIN, height - MARGIN));
  return { root, width, height };
}

/** @param {string} token */
function widthOf(token) {
  return measure(token) * LARGER + 2 * PAD;
}

/** @param {string[]} tokens */
function lengthOf(tokens) {
  return tokens.reduce((sum, token) => sum + widthOf(token) + GAP, -GAP);
}

/**
 * The longer row is as wide as both, as on the page.
 *
 * @type {(tokens: string[], wide: number) => import("./ribbons.js").Place[]}
 */
function placed(tokens, wide) {
  const [long, gaps] = [lengthOf(tokens), Math.max(1, tokens.length - 1)];
  const gap = Math.min(APART, GAP + (wide - long) / gaps);
  const leftward = directionOf(tokens) === "rtl";
  let left = (wide - long - gaps * (gap - GAP)) / 2;
  return tokens.map((token) => {
    const width = widthOf(token);
    const x = left + width / 2;
    left += width + gap;
    return { x: leftward ? wide - x : x, width };
  });
}

/**
 * @param {string} token
 * @param {import("./ribbons.js").Place} place
 * @param {number} top
 * @param {{weight?: number | null, lamp?: boolean}} how
 */
function chip(token, { x, width }, top, { weight = null, lamp = false }) {
  const fill = weight === null ? (lamp ? WASH : "none") : weightColor(weight, "light", PLAIN);
  const label = weight !== null && weight > 0.45 ? "#fff" : INK;
  const box = { x: x - width / 2, y: top, width, height: ROW, rx: 6, fill };
  return [
    s("rect", { ...box, stroke: lamp ? NOW : "none", "stroke-width": 2 }),
    text(token, x, top + ROW / 2 + SIZE.label * 0.36, { "text-anchor": "middle", fill: label }),
  ];
}

/** @type {(slot: number, color: string, height: number) => SVGElement} */
function fading(slot, color, height) {
  const gradient = s("linearGradient", {
    ...{ id: `light-${slot}`, gradientUnits: "userSpaceOnUse" },
    ...{ x1: 0, y1: height, x2: 0, y2: 0 },
  });
  gradient.append(
    s("stop", { offset: 0, "stop-color": color }),
    s("stop", { offset: 1, "stop-color": color, "stop-opacity": FADED }),
  );
  return gradient;
}

/**
 * A legend of heads by their colours.
 *
 * @param {import("../../trace/choice.js").Choice[]} choices
 * @param {string[]} colors
 * @param {number} y
 * @param {import("../../kit/i18n.js").Translate} t
 */
function names(choices, colors, y, t) {
  let x = MARGIN;
  return choices.map((choice, slot) => {
    const label = headTitle(t, choice);
    const named = text(label, x, y, { fill: colors[slot], "font-weight": "bold" });
    x += measure(label) * 1.2 + GAP;
    return named;
  });
}

/**
 * Finer nobody sees.
 *
 * @param {number} length
 */
function round(length) {
  return Math.round(100 * length) / 100;
}
