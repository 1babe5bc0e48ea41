/** Heads as a drawing for a paper: vectors on white, every label in full. */

import { s } from "../kit/dom.js";
import { countText } from "../kit/numbers.js";
import { hasMask, isMasked, keyTokens, rowLabels } from "../trace/kinds.js";
import { headWeights, maskAt } from "../trace/weights.js";
import { weightColor } from "./color.js";
import { shades } from "./shades.js";
import { MARGIN, measure, SIZE, sheet, text, widest } from "./svg.js";
import { figureTitle, headTitle, rowHeadings } from "./titles.js";

/** @import { Kind } from "../trace/kinds.js" */
/** @import { Choice } from "../trace/choice.js" */

const HATCH = "#8a8d97";

const CELL = 24;
const GAP = 8;
const BAR = { width: 12, height: 120, samples: 16 };

/** Column labels wider than their cell lean: no script has to be turned on its side. */
const LEAN = Math.SQRT1_2;

/** How much wider than measured a bold or larger text may be. */
const BOLD = 1.3;

/**
 * Heads of one kind side by side, under one title, with one scale; the rows' labels stand once.
 *
 * @param {import("../trace/trace.js").Trace} trace
 * @param {Kind} kind
 * @param {Choice[]} choices  at least one
 * @param {import("./coloring.js").Coloring} coloring
 * @param {import("../kit/i18n.js").Translate} t
 * @returns {{root: SVGElement, width: number, height: number}}
 */
export function headsFigure(trace, kind, choices, coloring, t) {
  const weights = trace.weights[kind];
  if (!weights) throw new TypeError(`this trace has no ${kind}`);
  const { queries, keys } = weights;
  const columns = keyTokens(trace, kind);
  const tokens = rowLabels(trace, kind);
  const sides = rowHeadings(t, kind).map((heading, i) => [heading, ...tokens[i]]);
  // One head is named by the title.
  const names = choices.length > 1 ? choices.map((choice) => headTitle(t, choice)) : [];

  const sideWidths = sides.map((labels) => widest(labels) + 2 * GAP);
  const left = MARGIN + sideWidths.reduce((sum, width) => sum + width);
  const leaning = Math.max(...columns.map((label, i) => i * CELL + LEAN * measure(label)));
  const each = Math.max(keys * CELL, leaning, BOLD * widest(names)) + 3 * GAP;
  const axis = MARGIN + 2 * SIZE.title + 3 * GAP + SIZE.label / 2;
  const named = names.length ? SIZE.label + GAP : 0;
  const top = axis + named + SIZE.label / 2 + LEAN * widest(columns) + 2 * GAP;
  const bar = left + choices.length * each;
  const heading = names.length ? t(`${kind}.title`) : figureTitle(t, kind, choices[0]);
  const caption = `${trace.model}: ${trace.source}`;
  const legend = t(coloring.rank ? "legend.rank" : "legend.weight");
  const width = Math.ceil(
    MARGIN +
      Math.max(bar + Math.max(measure(legend), 60), MARGIN + widest([heading, caption]) * BOLD),
  );
  const height = Math.ceil(top + Math.max(queries * CELL, BAR.height + 3 * GAP) + MARGIN);

  const root = sheet(width, height, heading, caption);
  for (const [i, choice] of choices.entries()) {
    const x = left + i * each;
    if (names.length) root.append(text(names[i], x, axis, { "font-weight": "bold" }));
    root.append(text(t("axis.keys"), x, axis + named, { opacity: 0.7 }));
    root.append(...columnLabels(columns, x, top - GAP));
    const head = { queries, keys, kind, causal: maskAt(weights, choice), coloring };
    root.append(...cells(shades(headWeights(weights, choice), head), head, x, top));
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
  if (choices.some((choice) => hasMask(kind, keys, maskAt(weights, choice))))
    root.append(hatching());
  root.append(...scale(bar, top, coloring, legend));
  return { root, width, height };
}

/** @type {(columns: string[], left: number, y: number) => SVGElement[]} */
function columnLabels(columns, left, y) {
  return columns.map((label, key) => {
    const x = left + (key + 0.5) * CELL;
    const upright = measure(label) <= CELL;
    /** @type {Record<string, string>} */
    const placed = upright ? { "text-anchor": "middle" } : { transform: `rotate(-45 ${x} ${y})` };
    // The mark of a word's start would read as a tick if it leaned: that glyph is turned back.
    if (!upright && label.startsWith("␣")) placed.rotate = "45 0";
    return text(label, x, y, placed);
  });
}

/**
 * @param {Float32Array} values  from 0 to 1, [query, key]
 * @param {{queries: number, keys: number, kind: Kind, causal?: import("../trace/kinds.js").Causal, coloring: import("./coloring.js").Coloring}} head
 * @param {number} left
 * @param {number} top
 */
function cells(values, { queries, keys, kind, causal, coloring }, left, top) {
  let masked = "";
  const shown = s("g", { "shape-rendering": "crispEdges" });
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      const [x, y] = [left + key * CELL, top + query * CELL];
      if (isMasked(kind, query, key, causal)) {
        masked += `M${x} ${y}h${CELL}v${CELL}h-${CELL}z`;
      } else {
        const fill = weightColor(values[query * keys + key], "light", coloring);
        shown.append(s("rect", { x, y, width: CELL - 1, height: CELL - 1, fill }));
      }
    }
  }
  return masked ? [shown, s("path", { d: masked, fill: "url(#masked)" })] : [shown];
}

function hatching() {
  const pattern = s("pattern", {
    id: "masked",
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
  });
  pattern.append(s("path", { d: "M-1 1l2-2M0 6l6-6M5 7l2-2", stroke: HATCH }));
  return pattern;
}

/**
 * What the colours mean.
 *
 * @param {number} x
 * @param {number} y
 * @param {import("./coloring.js").Coloring} coloring
 * @param {string} legend
 */
function scale(x, y, coloring, legend) {
  const { width, height, samples } = BAR;
  const top = y + 2 * GAP;
  const gradient = s("linearGradient", { id: "scale", x1: 0, y1: 1, x2: 0, y2: 0 });
  for (let i = 0; i <= samples; i++) {
    const color = weightColor(i / samples, "light", coloring);
    gradient.append(s("stop", { offset: i / samples, "stop-color": color }));
  }
  const ticks = [0, 0.5, 1].map((share) =>
    text(countText(share, 1), x + width + GAP, top + (1 - share) * height + SIZE.label * 0.35),
  );
  return [
    gradient,
    text(legend, x, y),
    s("rect", { x, y: top, width, height, fill: "url(#scale)" }),
    ...ticks,
  ];
}
