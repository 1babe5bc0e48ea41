/**
 * A wide tower: each part of a layer is a row, with what it adds to and its norm beside it, so that a screen
 * holds a layer whole. A block that is open has room below its row.
 */

import { MASK } from "./plan.js";

/** @import { Block } from "../../trace/blocks.js" */
/** @import { Box, Edge, Frame, Hole, Opened, Tower } from "./plan.js" */

const HEIGHT = 34;
/** Above a row: the way back from the end of the last one, and below it the residual path. */
const GAP = 30;
const BACK = 9;
const RESIDUAL = 8;
const FRAME = { top: 6, bottom: 10, side: 12 };
const ADD = 40;
/** Between two blocks of a row. */
const APART = 22;

/** Shares of a row that its parts take, where they are not fixed. */
const SHARE = { norm: 0.34, next: 0.8, guess: 0.8, position: 0.7 };

/**
 * Places a tower's blocks one above the other.
 *
 * @param {Block[]} blocks
 * @param {number} left
 * @param {number} width
 * @param {number} top
 * @param {Opened | null} opened
 * @returns {Tower}
 */
export function placeRows(blocks, left, width, top, opened) {
  const inner = { x: left + FRAME.side, width: width - 2 * FRAME.side };
  const axis = inner.x + Math.min(100, inner.width / 4);
  const boxes = /** @type {Box[]} */ ([]);
  const edges = /** @type {Edge[]} */ ([]);
  const frames = /** @type {Frame[]} */ ([]);
  /** @type {Hole | null} */
  let hole = null;
  let y = top;
  let before = /** @type {Box | null} */ (null);

  for (const row of rowsOf(blocks)) {
    const [{ part, layer }] = row;
    if (part === "tokens") {
      before = { block: row[0], x: left, y: 2, width, height: top - 2 };
      boxes.push(before);
      continue;
    }
    const leaves = before?.block.layer ?? null;
    if (leaves !== null && layer !== leaves) y += FRAME.bottom;
    if (layer !== null && layer !== leaves) {
      y += FRAME.top;
      frames.push({
        ...{ tower: row[0].tower, layer, named: "start" },
        x: left,
        y: y + 3,
        width,
        height: 0,
      });
    }
    const own = placeRow(row, inner, y + GAP);
    const [first] = own.line;
    const last = /** @type {Box} */ (own.line.at(-1));
    if (before) {
      const from = before.block.part === "tokens" ? axis : before.x + before.width / 2;
      const start = before.y + before.height;
      const back = first.y - GAP + BACK;
      edges.push({
        ...{ sort: "stream", from: before.block.name, to: first.block.name },
        points: [
          [from, start],
          ...(from === axis
            ? []
            : /** @type {[number, number][]} */ ([
                [from, back],
                [axis, back],
              ])),
          [axis, first.y],
        ],
        label: { x: axis + 8, y: first.y - RESIDUAL - 6, anchor: "start", room: inner.width / 2 },
      });
    }
    edges.push(...rowEdges(own, axis, before));
    boxes.push(...own.line, ...(own.mask ? [own.mask] : []));
    before = last;
    y = last.y + last.height;
    if (opened && row.some(({ name }) => name === opened.name)) {
      const { x, width } = inner;
      const below = y + 10;
      hole = { x, y: below, width, height: opened.height };
      y = below + opened.height;
      // What leaves the row leaves below what is told of it.
      before = { ...last, height: y - last.y };
    }
    const frame = frames.at(-1);
    if (frame && layer !== null) frame.height = y + FRAME.bottom - frame.y;
  }
  const end = boxes.find(({ block }) => block.name === before?.block.name) ?? null;
  return {
    boxes,
    edges,
    frames,
    axis: end ? end.x + end.width / 2 : axis,
    end: y + FRAME.bottom,
    hole,
  };
}

/** @param {Block[]} blocks  those that stand side by side */
function rowsOf(blocks) {
  const keyOf = (/** @type {Block} */ { part, layer, sublayer, name }) => {
    if (layer !== null) return `${layer}.${sublayer}`;
    if (["embedding", "position"].includes(part)) return "begin";
    return ["output", "softmax", "next", "guess"].includes(part) ? "end" : name;
  };
  /** @type {Block[][]} */
  const rows = [];
  for (const block of blocks) {
    const row = rows.at(-1);
    if (row && keyOf(row[0]) === keyOf(block)) row.push(block);
    else rows.push([block]);
  }
  return rows;
}

/**
 * Side by side, the mask within the attention that it is of.
 *
 * @param {Block[]} row
 * @param {{x: number, width: number}} inner
 * @param {number} y
 */
function placeRow(row, inner, y) {
  const masked = row.find(({ part }) => part === "mask");
  const rest = row.filter((block) => block !== masked);
  const fixed = rest.filter(({ part }) => part === "add").length * ADD + (rest.length - 1) * APART;
  const shareOf = (/** @type {Block} */ { part }) =>
    part === "add" ? 0 : (SHARE[/** @type {keyof typeof SHARE} */ (part)] ?? 1);
  const shares = rest.reduce((sum, block) => sum + shareOf(block), 0);
  let { x } = inner;
  const line = rest.map((block) => {
    const width = block.part === "add" ? ADD : ((inner.width - fixed) * shareOf(block)) / shares;
    const box = { block, x, y, width, height: HEIGHT };
    x += width + APART;
    return box;
  });
  const size = { width: MASK, height: MASK };
  const reader = line.find(({ block }) => block.part === block.sublayer);
  const within = (HEIGHT - MASK) / 2;
  const mask =
    masked && reader ? { block: masked, x: reader.x + within, y: y + within, ...size } : null;
  return { line, mask };
}

/**
 * Within a row: from block to block, and past them what is added again.
 *
 * @type {(row: ReturnType<typeof placeRow>, axis: number, before: Box | null) => Edge[]}
 */
function rowEdges({ line }, axis, before) {
  const edges = /** @type {Edge[]} */ ([]);
  for (const [i, box] of line.slice(1).entries()) {
    const from = line[i];
    const middle = box.y + box.height / 2;
    const end = box.block.part === "add" ? box.x + box.width / 2 - box.height / 2 : box.x;
    const start =
      from.block.part === "add" ? from.x + from.width / 2 + from.height / 2 : from.x + from.width;
    edges.push({
      ...{ sort: "stream", from: from.block.name, to: box.block.name, label: null },
      points: [
        [start, middle],
        [end, middle],
      ],
    });
  }
  const add = line.find(({ block }) => block.part === "add");
  if (add && before) {
    const over = add.y - RESIDUAL;
    const center = add.x + add.width / 2;
    edges.push({
      ...{ sort: "residual", from: before.block.name, to: add.block.name, label: null },
      points: [
        [axis, over],
        [center, over],
        [center, add.y],
      ],
    });
  }
  return edges;
}
