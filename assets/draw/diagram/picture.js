/** A model's picture: blocks and arrows, as `layoutDiagram` places them. */

import { s } from "../../kit/dom.js";

/** @import { Box, Diagram, Edge } from "./plan.js" */

/** Line height of the text in blocks, in CSS pixels. */
const LINE = 15;

/**
 * What is written in it.
 *
 * @typedef {object} Texts
 * @property {(block: Box["block"]) => string} name  as it stands in the block
 * @property {(block: Box["block"]) => string} spoken  in full
 * @property {(edge: Edge) => string[]} shape  beside an arrow; the first that has room
 * @property {(layer: number, tower: Box["block"]["tower"]) => string} frame
 * @property {(text: string, size: number) => number} measure
 */

/**
 * Draws the model's picture.
 *
 * @param {Diagram} diagram
 * @param {Texts} texts
 * @returns {{edges: SVGElement[], frames: SVGElement[], blocks: SVGElement[]}}  edges and blocks in
 *   the order of the diagram's
 */
export function drawDiagram(diagram, texts) {
  return {
    frames: diagram.frames.map((frame) =>
      s(
        "g",
        { class: "frame" },
        s("rect", { ...frame, rx: 10 }),
        s(
          "text",
          {
            x: frame.named === "end" ? frame.x + frame.width - 10 : frame.x + 10,
            y: frame.y + 16,
            "text-anchor": frame.named,
          },
          texts.frame(frame.layer, frame.tower),
        ),
      ),
    ),
    edges: diagram.edges.map((edge) => drawEdge(edge, texts)),
    blocks: diagram.boxes.map((box) => drawBlock(box, texts)),
  };
}

/** The tip of an arrow, used by every edge. */
export function arrowTip() {
  return s(
    "defs",
    {},
    s(
      "marker",
      {
        ...{ id: "diagram-tip", viewBox: "0 0 8 8", refX: 7, refY: 4 },
        ...{ markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
      },
      s("path", { d: "M0 0 8 4 0 8z", fill: "context-stroke" }),
    ),
  );
}

/** @type {(edge: Edge, texts: Texts) => SVGElement} */
function drawEdge(edge, texts) {
  const { points, sort, label } = edge;
  const d = `M${points.map((point) => point.join(" ")).join("L")}`;
  const shapes = label ? texts.shape(edge) : [];
  const shape = shapes.find((text) => texts.measure(text, 11) <= (label?.room ?? 0));
  return s(
    "g",
    { class: `edge ${sort}` },
    s("path", { d, "marker-end": "url(#diagram-tip)" }),
    label && shape
      ? s("text", { x: label.x, y: label.y + 4, "text-anchor": label.anchor }, shape)
      : null,
  );
}

/** @type {(box: Box, texts: Texts) => SVGElement} */
function drawBlock({ block, x, y, width, height }, texts) {
  const { part, name, tower } = block;
  const children =
    part === "add"
      ? sum(block, x, y, width, height, texts)
      : part === "mask"
        ? maskIcon(block, x, y, width)
        : [
            // Several layers lie behind one another.
            ...(part === "rest"
              ? [s("rect", { x: x + 8, y: y + 4, width: width - 16, height, rx: 8 })]
              : []),
            s("rect", { x, y, width, height, rx: part === "norm" ? 5 : 8 }),
            ...(part === "tokens" ? [] : lines(texts, texts.name(block), x, y, width, height)),
          ];
  return s(
    "g",
    {
      ...{ class: `block ${part} ${tower}`, "data-block": name, tabindex: -1, role: "button" },
      "aria-label": texts.spoken(block),
    },
    s("title", {}, texts.spoken(block)),
    ...children,
  );
}

/** @type {(block: Box["block"], x: number, y: number, width: number, height: number, texts: Texts) => SVGElement[]} */
function sum({ tower, ...block }, x, y, width, height, texts) {
  const offset = Math.max(20, width * 0.26);
  const encoder = tower === "encoder";
  const [cx, cy, r] = [encoder ? x + offset : x + width - offset, y + height / 2, height / 2];
  const label = texts.name({ tower, ...block });
  // Where it has no room, + tells as much; the block's title says it in full.
  const fits = texts.measure(label, 11) <= width - offset - 16;
  return [
    s("rect", { class: "reach", x, y, width, height }),
    s("circle", { cx, cy, r }),
    s("path", { class: "plus", d: `M${cx - 5} ${cy}h10M${cx} ${cy - 5}v10` }),
    ...(fits
      ? [
          s(
            "text",
            { x: cx + (encoder ? 16 : -16), y: cy + 4, "text-anchor": encoder ? "start" : "end" },
            label,
          ),
        ]
      : []),
  ];
}

/**
 * What may attend to what: all of the source, and of the target what is not later.
 *
 * @type {(block: Box["block"], x: number, y: number, size: number) => SVGElement[]}
 */
function maskIcon({ tower, sublayer }, x, y, size) {
  const causal = tower === "decoder" && sublayer === "self_attention";
  const cell = (size - 4) / 4;
  const cells = [0, 1, 2, 3].flatMap((row) => [0, 1, 2, 3].map((column) => [row, column]));
  return [
    s("rect", { x, y, width: size, height: size, rx: 4 }),
    ...cells
      // The last column of a source stands for its padding.
      .filter(([row, column]) => (causal ? column <= row : column < 3))
      .map(([row, column]) =>
        s("rect", {
          ...{ class: "seen", x: x + 2 + column * cell + 0.5, y: y + 2 + row * cell + 0.5 },
          ...{ width: cell - 1, height: cell - 1 },
        }),
      ),
  ];
}

/** @type {(texts: Texts, label: string, x: number, y: number, width: number, height: number) => SVGElement[]} */
function lines({ measure }, label, x, y, width, height) {
  const size = height <= 30 ? 12 : 13;
  const parts = measure(label, size) > width - 8 ? halves(label) : [label];
  const middle = y + height / 2 + size * 0.36 - ((parts.length - 1) * LINE) / 2;
  return parts.map((text, i) =>
    s(
      "text",
      { x: x + width / 2, y: middle + i * LINE, "text-anchor": "middle", "font-size": size },
      text,
    ),
  );
}

/** @param {string} label  cut at the plain space nearest to its middle, or after a wide colon */
function halves(label) {
  const spaces = [...label.matchAll(/[ ：-]/g)].map(({ index }) => index + 1);
  const middle = label.length / 2;
  const cut = spaces.reduce(
    (best, at) => (Math.abs(at - middle) < Math.abs(best - middle) ? at : best),
    spaces[0] ?? Math.ceil(middle),
  );
  return [label.slice(0, cut).trim(), label.slice(cut).trim()];
}
