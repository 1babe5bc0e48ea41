/**
 * Where the blocks of a model's picture stand, and how its arrows run: from numbers to numbers. The
 * encoder stands on the left, the decoder on the right, both from top to bottom; their residual paths
 * run outside, the memory between them. One alone stands in the middle.
 */

import { MASK } from "./plan.js";
import { placeRows } from "./rows.js";

/** @import { Block } from "../../trace/blocks.js" */
/** @import { Box, Chip, Diagram, Edge, Frame, Opened, Tower } from "./plan.js" */

/** @type {Record<string, number>}  how high parts are that are not of the usual height */
const HEIGHTS = { add: 20, norm: 26, rest: 30, softmax: 34, next: 34, guess: 34 };
const HEIGHT = 40;
/** Between two blocks, where an arrow runs. */
const GAP = 24;
/** A layer's frame: above its first arrow, where its name stands, and below its last. */
const FRAME = { top: 22, bottom: 10 };
const CHIP = { height: 24, gap: 4, padding: 8, least: 24 };
/** Outside of a tower's boxes: the residual path. Beyond it, right of the decoder: the way back. */
const LANE = 12;
const LOOP = 12;
/** No tower gets wider, and no drawing narrower: in less room it scrolls. */
const [WIDEST, NARROWEST] = [330, 250];
/** A tower so wide is one of rows, and no row gets wider, beside another or alone. */
const ROWS = { least: 400, most: 640, alone: 900 };
/** The width of a room from which on a tower alone is drawn larger, and by how much: on a projector. */
const LARGER = { from: 1100, most: 1.5 };

/**
 * Lays the model's picture out.
 *
 * @param {number} seen  how wide a place the drawing has, in CSS pixels
 * @param {{encoder: Block[], decoder: Block[]}} towers  in the order of the flow; no blocks, no tower
 * @param {Record<Block["tower"], number[]>} tokens  how wide each token's text is
 * @param {Opened | null} [open]  its height in CSS pixels
 * @returns {Diagram}
 */
export function layoutDiagram(seen, towers, tokens, open = null) {
  const both = towers.encoder.length > 0 && towers.decoder.length > 0;
  const scale = both ? 1 : Math.min(LARGER.most, Math.max(1, seen / LARGER.from));
  const room = Math.max(NARROWEST, seen / scale);
  const opened = open && { ...open, height: open.height / scale };
  const gutter = both ? Math.max(26, Math.min(64, room * 0.08)) : 0;
  const share = (room - LOOP - gutter - 2) / (both ? 2 : 1);
  const wide = share >= ROWS.least;
  const width = Math.min(wide ? (both ? ROWS.most : ROWS.alone) : WIDEST, share);
  const left = Math.max(1, (room - LOOP - gutter - (both ? 2 : 1) * width) / 2);
  const chips = {
    encoder: placeChips(tokens.encoder, left, width),
    decoder: placeChips(tokens.decoder, left + (both ? width + gutter : 0), width),
  };
  const bottom = Math.max(...[...chips.encoder, ...chips.decoder].map(({ y }) => y));
  const top = bottom + CHIP.height;

  const right = left + (both ? width + gutter : 0);
  const encoder = wide
    ? placeRows(towers.encoder, left, width, top, opened)
    : placeTower(towers.encoder, left, width, top, "left");
  const decoder = wide
    ? placeRows(towers.decoder, right, width, top, opened)
    : placeTower(towers.decoder, right, width, top, "right");
  const edges = [...encoder.edges, ...decoder.edges];
  const memory = encoder.boxes.at(-1);
  if (memory && both) edges.push(...memoryEdges(memory, encoder.axis, decoder.boxes, gutter));
  edges.push(...loopEdges(decoder, left + (both ? width + gutter : 0) + width + LOOP / 2 + 3));
  return {
    scale,
    width: room,
    height: Math.max(encoder.end + (both ? GAP : 0), decoder.end) + 4,
    boxes: [...encoder.boxes, ...decoder.boxes],
    edges,
    frames: [...encoder.frames, ...decoder.frames],
    chips,
    hole: encoder.hole ?? decoder.hole,
  };
}

/** @type {(widths: number[], left: number, width: number) => Chip[]} */
function placeChips(widths, left, width) {
  let [x, y] = [0, 2];
  return widths.map((text, index) => {
    const wide = Math.min(width, Math.max(CHIP.least, text + 2 * CHIP.padding));
    if (x > 0 && x + wide > width) [x, y] = [0, y + CHIP.height + CHIP.gap];
    const chip = { index, x: left + x, y, width: wide };
    x += wide + CHIP.gap;
    return chip;
  });
}

/** @type {(blocks: Block[], left: number, width: number, top: number, outside: "left" | "right") => Tower} */
function placeTower(blocks, left, width, top, outside) {
  const aside = LANE + MASK + 10;
  const inner = width - aside - 6;
  const x = outside === "left" ? left + aside : left + 6;
  const offset = Math.max(20, inner * 0.26);
  const axis = outside === "left" ? x + offset : x + inner - offset;
  const lane = outside === "left" ? left + LANE / 2 + 2 : left + width - LANE / 2 - 2;
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Edge[]} */
  const edges = [];
  /** @type {Frame[]} */
  const frames = [];
  /** @type {Box | null} */
  let before = null;
  /** @type {{from: Box, y: number} | null}  where the residual path leaves the stream */
  let branch = null;
  /** @type {Box | null} */
  let mask = null;
  let y = top;

  for (const block of blocks) {
    const { part, layer, sublayer } = block;
    if (part === "mask") {
      mask = {
        block,
        x: outside === "left" ? x - MASK - 10 : x + inner + 10,
        y: 0,
        width: MASK,
        height: MASK,
      };
      continue;
    }
    if (part === "tokens") {
      before = { block, x: left, y: 2, width, height: top - 2 };
      boxes.push(before);
      continue;
    }
    const starts = layer !== null && layer !== before?.block.layer;
    if (before && before.block.layer !== null && layer !== before.block.layer) y += FRAME.bottom;
    if (starts) {
      const named = outside === "left" ? "end" : "start";
      frames.push({ tower: block.tower, layer, named, x: left, y: y + 10, width, height: 0 });
      y += FRAME.top;
    }
    const height = HEIGHTS[part] ?? HEIGHT;
    const box = { block, x, y: y + GAP, width: inner, height };
    if (before) {
      const from = before.y + before.height;
      const middle = box.y - GAP / 2;
      edges.push({
        ...{ sort: "stream", from: before.block.name, to: block.name },
        points: [
          [axis, from],
          [axis, box.y],
        ],
        label: {
          ...{ x: axis + (outside === "left" ? 8 : -8), y: middle },
          ...{ anchor: outside === "left" ? "start" : "end", room: inner - offset - 8 },
        },
      });
      if (sublayer !== before.block.sublayer) branch = { from: before, y: box.y - GAP + 5 };
    }
    if (mask && part === sublayer) {
      mask.y = box.y + (height - MASK) / 2;
      boxes.push(mask);
      const edge = outside === "left" ? mask.x + MASK : mask.x;
      edges.push({
        ...{ sort: "mask", from: mask.block.name, to: block.name, label: null },
        points: [
          [edge, mask.y + MASK / 2],
          [outside === "left" ? x : x + inner, mask.y + MASK / 2],
        ],
      });
      mask = null;
    }
    if (part === "add" && branch) {
      const side = outside === "left" ? axis - 10 : axis + 10;
      edges.push({
        ...{ sort: "residual", from: branch.from.block.name, to: block.name, label: null },
        points: [
          [axis, branch.y],
          [lane, branch.y],
          [lane, box.y + height / 2],
          [side, box.y + height / 2],
        ],
      });
    }
    boxes.push(box);
    before = box;
    y = box.y + height;
    const frame = frames.at(-1);
    if (frame && layer !== null) frame.height = y + FRAME.bottom - frame.y;
  }
  return { boxes, edges, frames, axis, end: y + FRAME.bottom, hole: null };
}

/**
 * From the encoder's last block, into every cross-attention, also of the layers that are not drawn.
 *
 * @type {(memory: Box, axis: number, decoder: Box[], gutter: number) => Edge[]}
 */
function memoryEdges(memory, axis, decoder, gutter) {
  const low = memory.y + memory.height + FRAME.bottom + GAP / 2;
  const readers = decoder.filter(({ block }) => ["cross_attention", "rest"].includes(block.part));
  return readers.map((box, i) => {
    const middle = box.y + box.height / 2;
    const across = box.x - Math.min(gutter / 2, 20) - 4;
    return {
      ...{ sort: "memory", from: memory.block.name, to: box.block.name },
      points: [
        [axis, memory.y + memory.height],
        [axis, low],
        [across, low],
        [across, middle],
        [box.x, middle],
      ],
      label: i ? null : { x: axis + 8, y: low - 9, anchor: "start", room: across - axis - 16 },
    };
  });
}

/**
 * What is written is read at the next step.
 *
 * @type {(decoder: {boxes: Box[]}, lane: number) => Edge[]}
 */
function loopEdges({ boxes }, lane) {
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (!first || !last) return [];
  const y = CHIP.height / 2 + 2;
  return [
    {
      ...{ sort: "loop", from: last.block.name, to: first.block.name, label: null },
      points: [
        [last.x + last.width, last.y + last.height / 2],
        [lane, last.y + last.height / 2],
        [lane, y],
        [first.x + first.width - 2, y],
      ],
    },
  ];
}
