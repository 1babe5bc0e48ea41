/** The shapes that stand beside the arrows of the model's picture. */

import { parseBlock } from "../../trace/blocks.js";

/** @import { Config } from "../../trace/blocks.js" */
/** @import { Tokens } from "../../trace/kinds.js" */

/**
 * What a block hands on: the names of its axes, and their sizes.
 *
 * @param {Pick<import("../../trace/blocks.js").Block, "tower" | "part" | "sublayer">} block
 * @param {Config} config
 * @param {Tokens} tokens
 * @returns {{names: string[], sizes: number[]}}
 */
export function shapeAfter({ tower, part, sublayer }, config, { src, tgt_in }) {
  const [name, size] = tower === "encoder" ? ["src", src.length] : ["tgt", tgt_in.length];
  if (part === "mask") {
    const crossing = sublayer === "cross_attention";
    return {
      names: [name, crossing ? "src" : name],
      sizes: [size, crossing ? src.length : size],
    };
  }
  if (["tokens", "next", "guess"].includes(part)) return { names: [name], sizes: [size] };
  const whole = part === "output" || part === "softmax";
  return {
    names: [name, whole ? "vocab" : "d_model"],
    sizes: [size, whole ? config.tgt_vocab_size || config.src_vocab_size : config.d_model],
  };
}

/** @param {{names: string[], sizes: number[]}} shape */
export function shapeText({ names, sizes }) {
  return `[${names.join(", ")}] = [${sizes.join(", ")}]`;
}

/**
 * What may stand beside an arrow, the fullest first: a shape where it changes, and what attention takes.
 *
 * @param {import("../../draw/diagram/plan.js").Edge} edge
 * @param {Config} config
 * @param {Tokens} tokens
 * @param {string} memory  what is said of the encoder's output, where there is room
 */
export function shapesOf({ sort, from, to }, config, tokens, memory) {
  if (sort === "memory") return [memory, "K, V"];
  const [before, after] = [parseBlock(from), parseBlock(to)];
  if (!before || !CHANGES.includes(before.part)) {
    const takes = BECOMES[after?.part ?? ""];
    return takes ? [takes] : [];
  }
  const shape = shapeAfter(before, config, tokens);
  const names = `[${shape.names.join(", ")}]`;
  return [shapeText(shape), names, `[${shape.sizes.join(", ")}]`];
}

/** Blocks that hand on another shape than they are given: only there it is told. */
const CHANGES = ["tokens", "embedding", "output"];

/** @type {Record<string, string>}  what attention makes of what enters */
const BECOMES = { self_attention: "Q, K, V", cross_attention: "Q" };
