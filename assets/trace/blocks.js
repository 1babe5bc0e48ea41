/** The blocks that a model's picture is made of: their names, and the order in which data flow. */

/** @typedef {"encoder" | "decoder"} Tower */
/** @typedef {"self_attention" | "cross_attention" | "feed_forward"} Sublayer */

/** @import { Answers, GuestConfig, TransformerConfig } from "./answers.d.ts" */
/** @typedef {Pick<GuestConfig, keyof GuestConfig & keyof TransformerConfig> & Partial<GuestConfig>} Config  ours, or a guest's */
/** @typedef {Omit<Answers["anatomy"], "config"> & {config: Config}} Anatomy */

/**
 * @typedef {object} Block
 * @property {string} name
 * @property {Tower} tower
 * @property {number | null} layer  from 0
 * @property {Sublayer | null} sublayer  that it is, or belongs to
 * @property {string} part  what it is; "rest" stands for the layers that are not drawn
 * @property {number[]} [stands]  the layers that a "rest" stands for, from 0
 */

/** What has a place outside the layers. */
const OUTSIDE = [
  ...["tokens", "embedding", "position", "embedding_norm"],
  ...["norm", "output", "softmax", "next", "guess"],
];

/** Behind the last layer, which say a token. */
const SAY = ["output", "softmax", "next", "guess"];

/** Positions that are vectors, added to the tokens'. */
const ADDED = ["sinusoidal", "learned"];

const NAME =
  /^(encoder|decoder)\.(?:L(\d{1,3})\.(self_attention|cross_attention|feed_forward)(?:\.(add|norm|mask))?|([a-z_]+))$/;

/** What is explained in the same place as a block, and is none. */
export const EXPLAINED = /** @type {const} */ (["scale", "costs", "positions"]);

/** @typedef {typeof EXPLAINED[number]} Explained */

/**
 * Reads a block's name.
 *
 * @param {string} name
 * @returns {Block | null}  null if no model has such a block
 */
export function parseBlock(name) {
  const match = NAME.exec(name);
  if (!match) return null;
  const [, tower, layer, sublayer, of, outside] = match;
  if (outside && !OUTSIDE.includes(outside)) return null;
  if (tower === "encoder" && (outside === "next" || sublayer === "cross_attention")) return null;
  if (tower === "decoder" && outside === "guess") return null;
  if (sublayer === "feed_forward" && of === "mask") return null;
  return {
    name,
    tower: /** @type {Tower} */ (tower),
    layer: layer ? Number(layer) - 1 : null,
    sublayer: /** @type {Sublayer} */ (sublayer) ?? null,
    part: of ?? sublayer ?? outside,
  };
}

/**
 * Which attention a block is, or belongs to.
 *
 * @param {Block} block
 * @returns {import("./kinds.js").Kind}
 */
export function kindOf({ tower, sublayer }) {
  if (sublayer === "cross_attention") return "cross";
  return tower === "encoder" ? "encoder_self" : "decoder_self";
}

/**
 * Whether a model whose trace this is may have a block; its norms, only its configuration tells.
 *
 * @param {Pick<import("./trace.js").Trace, "weights">} trace
 * @param {string} name
 */
export function mayHave({ weights }, name) {
  const block = parseBlock(name);
  // Where there is a decoder, it is that which says a token.
  if (block?.tower === "encoder" && SAY.includes(block.part) && weights.decoder_self) return false;
  const there = block && weights[kindOf(block)];
  return Boolean(there && (block.layer ?? 0) < there.layers);
}

/**
 * A tower's blocks, from its tokens on, masks beside their attention.
 *
 * @param {Config} config
 * @param {Tower} tower
 * @param {number | "all"} shown  the layer that is drawn; a shorter tower's last, if need be. Those before
 *   and after it stand as one block each: what flows on has run through them, too
 * @returns {Block[]}
 */
export function towerBlocks(config, tower, shown) {
  const encoder = tower === "encoder";
  const count = encoder ? config.num_encoder_layers : config.num_decoder_layers;
  if (count === 0) return [];
  const all = Array.from({ length: count }, (_, layer) => layer);
  const layers = shown === "all" ? all : [Math.min(shown, count - 1)];
  const alone = encoder || config.num_encoder_layers === 0;
  /** @type {Sublayer[]} */
  const sublayers = alone
    ? ["self_attention", "feed_forward"]
    : ["self_attention", "cross_attention", "feed_forward"];
  const drawn = layers.flatMap((layer) =>
    sublayers.flatMap((name) =>
      sublayerParts(config, name).map((part) => `L${layer + 1}.${name}${part && `.${part}`}`),
    ),
  );
  const ends = [
    ...(config.final_norms ? ["norm"] : []),
    ...(encoder ? (config.guesses ? ["output", "softmax", "guess"] : []) : SAY.slice(0, 3)),
  ];
  /** @type {(names: string[]) => Block[]} */
  const named = (names) =>
    names.map((name) => /** @type {Block} */ (parseBlock(`${tower}.${name}`)));
  return [
    ...named(["tokens", "embedding"]),
    ...named(ADDED.includes(config.position_kind ?? ADDED[0]) ? ["position"] : []),
    ...named(config.embedding_norm ? ["embedding_norm"] : []),
    ...rest(tower, "before", all.slice(0, layers[0])),
    ...named(drawn),
    ...rest(tower, "after", all.slice(layers.length + layers[0])),
    ...named(ends),
  ];
}

/** @type {(tower: Tower, where: "before" | "after", stands: number[]) => Block[]} */
function rest(tower, where, stands) {
  const block = { tower, layer: null, sublayer: null, part: "rest", stands };
  return stands.length ? [{ name: `${tower}.${where}`, ...block }] : [];
}

/**
 * @param {Config} config
 * @param {Sublayer} sublayer
 * @returns {("" | "add" | "norm" | "mask")[]}  "" is the sublayer itself
 */
function sublayerParts({ norm_placement }, sublayer) {
  const own = sublayer === "feed_forward" ? [""] : ["mask", ""];
  const parts = norm_placement === "pre" ? ["norm", ...own, "add"] : [...own, "add", "norm"];
  return /** @type {("" | "add" | "norm" | "mask")[]} */ (parts);
}

/**
 * The same block of another layer.
 *
 * @param {string} name
 * @param {number} layer  from 0
 */
export function inLayer(name, layer) {
  return name.replace(/\.L\d+\./, `.L${layer + 1}.`);
}

/**
 * The blocks that a token's vector runs through until the current step's prediction: its own tower's,
 * and from the encoder on through every cross-attention. A token that is not read yet has none.
 *
 * @param {Block[]} blocks  of both towers
 * @param {import("./kinds.js").Side} side
 * @param {number} index  the token's
 * @param {number} step
 * @returns {Set<string>}
 */
export function pathOf(blocks, side, index, step) {
  if (side === "target" && index > step) return new Set();
  const runs = blocks.filter(({ tower, part, sublayer, layer }) => {
    if (part === "mask") return false;
    if (side === "target") return tower === "decoder";
    if (tower === "encoder") return true;
    // It enters the decoder with the first layer's cross-attention, and from there on is in its stream.
    if (layer === null) return ["rest", "norm", "output", "softmax", "next"].includes(part);
    return !(layer === 0 && sublayer === "self_attention");
  });
  return new Set(runs.map(({ name }) => name));
}
