/** One head as a drawing for a paper: vectors on white, every label in full. */

import { weightColor } from "./color.js";
import { headTitle } from "./head.js";
import { shades } from "./rank.js";
import { headWeights, isMasked, keyTokens } from "./trace.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const FONT = 'Helvetica, Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
const INK = "#191d29";
const HATCH = "#8a8d97";

const CELL = 24;
const SIZE = { title: 15, label: 12 };
const MARGIN = 16;
const GAP = 8;
const BAR = { width: 12, height: 120, samples: 16 };

/** Column labels wider than their cell lean: no script has to be turned on its side. */
const LEAN = Math.SQRT1_2;

/** What XML has no way to write: control characters and halves of surrogate pairs. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * @param {import("./trace.js").Trace} trace
 * @param {import("./trace.js").Kind} kind
 * @param {import("./head.js").Choice} choice
 * @param {import("./color.js").Look} look
 * @param {import("./i18n.js").Translate} t
 * @returns {{svg: string, width: number, height: number}}
 */
export function matrixFigure(trace, kind, choice, look, t) {
  const weights = trace.weights[kind];
  if (!weights) throw new TypeError(`this trace has no ${kind}`);
  const { queries, keys } = weights;
  const decodes = kind !== "encoder_self";
  const columns = keyTokens(trace, kind);
  const sides = decodes
    ? [
        [t("axis.reads"), ...trace.tgt_in],
        [t("axis.predicts"), ...trace.tgt_out],
      ]
    : [[t("axis.queries"), ...trace.src]];

  const sideWidths = sides.map((labels) => widest(labels) + 2 * GAP);
  const left = MARGIN + sideWidths.reduce((sum, width) => sum + width);
  const right = left + keys * CELL;
  const leaning = Math.max(...columns.map((label, i) => i * CELL + LEAN * measure(label)));
  const top = MARGIN + 2 * SIZE.title + 3 * GAP + SIZE.label + LEAN * widest(columns) + 2 * GAP;
  const bar = Math.max(right, left + leaning) + 3 * GAP;
  const heading = `${t(`${kind}.title`)}, ${headTitle(t, choice)}`;
  const caption = `${trace.model}: ${trace.source}`;
  const legend = t(look.rank ? "legend.rank" : "legend.weight");
  const width = Math.ceil(
    MARGIN +
      Math.max(bar + Math.max(measure(legend), 60), MARGIN + widest([heading, caption]) * 1.3),
  );
  const height = Math.ceil(top + Math.max(queries * CELL, BAR.height + 3 * GAP) + MARGIN);

  const root = element("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": FONT,
    "font-size": SIZE.label,
    fill: INK,
  });
  root.append(
    element("title", {}, heading),
    element("rect", { width, height, fill: "#fff" }),
    text(heading, MARGIN, MARGIN + SIZE.title, { "font-size": SIZE.title, "font-weight": "bold" }),
    text(caption, MARGIN, MARGIN + 2 * SIZE.title + GAP / 2),
    text(t("axis.keys"), left, MARGIN + 2 * SIZE.title + 3 * GAP + SIZE.label / 2, {
      opacity: 0.7,
    }),
  );

  for (const [key, label] of columns.entries()) {
    const [x, y] = [left + (key + 0.5) * CELL, top - GAP];
    /** @type {Record<string, string>} */
    const placed =
      measure(label) <= CELL ? { "text-anchor": "middle" } : { transform: `rotate(-45 ${x} ${y})` };
    root.append(text(label, x, y, placed));
  }
  let edge = MARGIN;
  for (const [i, [title, ...labels]] of sides.entries()) {
    edge += sideWidths[i];
    root.append(text(title, edge - GAP, top - GAP, { "text-anchor": "end", opacity: 0.7 }));
    for (const [query, label] of labels.entries()) {
      const y = top + (query + 0.5) * CELL + SIZE.label * 0.35;
      root.append(text(label, edge - GAP, y, { "text-anchor": "end" }));
    }
  }

  const values = shades(headWeights(weights, choice.layer, choice.head), {
    queries,
    keys,
    kind,
    look,
  });
  let masked = "";
  const cells = element("g", { "shape-rendering": "crispEdges" });
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      const [x, y] = [left + key * CELL, top + query * CELL];
      if (isMasked(kind, query, key)) {
        masked += `M${x} ${y}h${CELL}v${CELL}h-${CELL}z`;
      } else {
        const fill = weightColor(values[query * keys + key], "light", look);
        cells.append(element("rect", { x, y, width: CELL - 1, height: CELL - 1, fill }));
      }
    }
  }
  root.append(cells);
  if (masked) root.append(hatching(), element("path", { d: masked, fill: "url(#masked)" }));
  root.append(...scale(bar, top, look, legend));
  return { svg: new XMLSerializer().serializeToString(root), width, height };
}

function hatching() {
  const pattern = element("pattern", {
    id: "masked",
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
  });
  pattern.append(element("path", { d: "M-1 1l2-2M0 6l6-6M5 7l2-2", stroke: HATCH }));
  return pattern;
}

/**
 * What the colours mean.
 *
 * @param {number} x
 * @param {number} y
 * @param {import("./color.js").Look} look
 * @param {string} legend
 */
function scale(x, y, look, legend) {
  const { width, height, samples } = BAR;
  const top = y + 2 * GAP;
  const gradient = element("linearGradient", { id: "scale", x1: 0, y1: 1, x2: 0, y2: 0 });
  for (let i = 0; i <= samples; i++) {
    const color = weightColor(i / samples, "light", look);
    gradient.append(element("stop", { offset: i / samples, "stop-color": color }));
  }
  const ticks = [0, 0.5, 1].map((share) =>
    text(String(share), x + width + GAP, top + (1 - share) * height + SIZE.label * 0.35),
  );
  return [
    gradient,
    text(legend, x, y),
    element("rect", { x, y: top, width, height, fill: "url(#scale)" }),
    ...ticks,
  ];
}

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {Record<string, string | number>} [attributes]
 */
function text(content, x, y, attributes = {}) {
  return element("text", { x, y, ...attributes }, content.replace(UNWRITABLE, "\uFFFD"));
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [content]
 */
function element(name, attributes, content = "") {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (content) made.textContent = content;
  return made;
}

const context = document.createElement("canvas").getContext("2d");

/** @param {string} label */
function measure(label) {
  if (!context) return label.length * SIZE.label;
  context.font = `${SIZE.label}px ${FONT}`;
  return context.measureText(label).width;
}

/** @param {string[]} labels */
function widest(labels) {
  return Math.max(...labels.map(measure));
}
