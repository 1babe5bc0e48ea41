/** What a model's picture is made of, once it is laid out; in its own units, CSS pixels at a scale of 1. */

/** @import { Block } from "../../trace/blocks.js" */

/** @typedef {{block: Block, x: number, y: number, width: number, height: number}} Box */

/**
 * `label` stands beside the middle of an arrow.
 *
 * @typedef {object} Edge
 * @property {"stream" | "residual" | "memory" | "mask" | "loop"} sort
 * @property {string} from  a block's name
 * @property {string} to
 * @property {[number, number][]} points
 * @property {{x: number, y: number, anchor: "start" | "end", room: number} | null} label
 */

/** `named` is the end at which its name stands. @typedef {{tower: Block["tower"], layer: number, named: "start" | "end", x: number, y: number, width: number, height: number}} Frame */
/** @typedef {{index: number, x: number, y: number, width: number}} Chip */

/**
 * What is told of an open block, and where it has room.
 *
 * @typedef {{name: string, height: number}} Opened
 * @typedef {{x: number, y: number, width: number, height: number}} Hole
 */

/**
 * `axis` is where its last block is left.
 *
 * @typedef {{boxes: Box[], edges: Edge[], frames: Frame[], axis: number, end: number, hole: Hole | null}} Tower
 */

/**
 * @typedef {object} Diagram
 * @property {number} scale  CSS pixels for each of its units
 * @property {number} width
 * @property {number} height
 * @property {Box[]} boxes
 * @property {Edge[]} edges
 * @property {Frame[]} frames
 * @property {Record<Block["tower"], Chip[]>} chips  of the tokens
 * @property {Hole | null} hole  null: what is told of the open block stands elsewhere
 */

/** A mask's side. */
export const MASK = 24;
