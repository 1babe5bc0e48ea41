/** What blocks are called, where they stand, and how large they are. */

import { countText } from "../../kit/numbers.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Block, Config } from "../../trace/blocks.js" */

/**
 * As it stands in the picture.
 *
 * @type {(t: Translate, config: Config, block: Block) => string}
 */
export function blockName(t, config, { part, tower, stands = [] }) {
  if (part === "rest") {
    const [first, last] = [stands[0] + 1, stands[stands.length - 1] + 1];
    const layers = first === last ? `${first}` : `${first}–${last}`;
    return t("model.rest", { count: stands.length, layers });
  }
  if (part === "embedding" && !config.scale_embeddings) return t("model.part_embedding_plain");
  if (part === "norm" || part === "embedding_norm") {
    const bare = config.norm === "rms";
    return t(bare ? "model.part_norm_rms" : "model.part_norm");
  }
  if (part === "feed_forward" && config.gated) return t("model.part_gated");
  const masked = part === "self_attention" && tower === "decoder";
  return t(masked ? "model.part_masked" : `model.part_${part}`);
}

/**
 * In full: "Decoder, layer 2: masked self-attention".
 *
 * @type {(t: Translate, config: Config, block: Block) => string}
 */
export function spokenBlock(t, config, block) {
  const { tower, layer, sublayer, part } = block;
  const place = t(layer === null ? "model.place" : "model.place_in_layer", {
    tower: t(`${tower}_self.short`),
    n: (layer ?? 0) + 1,
  });
  const own = blockName(t, config, block);
  const of =
    sublayer && sublayer !== part ? blockName(t, config, { ...block, part: sublayer }) : "";
  return t("model.block", { place, name: of ? t("model.part_of", { part: own, of }) : own });
}

/** @type {(t: Translate, anatomy: import("../../trace/blocks.js").Anatomy) => string} */
export function sizesText(t, { config, total }) {
  const { d_model, num_heads, d_ff, src_vocab_size, tgt_vocab_size } = config;
  const { d_head = d_model / num_heads, key_value_heads: groups, position_kind: kind } = config;
  const vocabulary = [src_vocab_size, tgt_vocab_size]
    .filter(Boolean)
    .map((size) => countText(size))
    .join(" → ");
  return [
    `d_model = ${countText(d_model)}`,
    t("model.heads", { heads: num_heads, size: d_head }),
    ...(groups && groups < num_heads ? [t("model.groups", { groups })] : []),
    `d_ff = ${countText(d_ff)}`,
    ...(kind ? [t(`model.positions_${kind}`)] : []),
    t("model.vocabulary", { count: vocabulary }),
    t("model.total", { count: countText(total) }),
  ].join(" · ");
}
