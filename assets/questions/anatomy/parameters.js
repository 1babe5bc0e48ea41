/** How many parameters a block has learnt, counted before the reader's eyes. */

import { countText } from "../../kit/numbers.js";

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("../../trace/blocks.js").Anatomy} anatomy
 * @param {import("../../trace/blocks.js").Block} block
 */
export function parametersText(t, { config, parameters }, { name, part, sublayer, tower }) {
  const count = parameters[name];
  // Which matrices they are in differs by family.
  if (count && config.norm) return t("model.count", { count: countText(count) });
  if (!count) {
    const fixed = part === "position";
    return t(fixed ? "model.fixed" : "model.nothing_learnt");
  }
  const vocabulary = tower === "encoder" ? config.src_vocab_size : config.tgt_vocab_size;
  const [d, ff, words] = [config.d_model, config.d_ff, vocabulary].map((size) => countText(size));
  const ways = {
    embedding: `${words} × ${d}`,
    output: `${words} × ${d}${config.output_bias ? ` + ${words}` : ""}`,
    norm: `γ, β: 2 × ${d}`,
    attention: `W_Q, W_K, W_V, W_O: 4 × (${d} × ${d} + ${d})`,
    feed_forward: `${d} × ${ff} + ${ff} + ${ff} × ${d} + ${d}`,
  };
  const way = part === sublayer && part !== "feed_forward" ? "attention" : part;
  const text = t("model.parameters", {
    count: countText(count),
    way: ways[/** @type {keyof typeof ways} */ (way)],
  });
  const { tied_embeddings: tied } = config;
  const shares = tied === "all" || (tied === "output" && tower === "decoder");
  const shared = (part === "embedding" || part === "output") && shares;
  return shared ? `${text} ${t("model.shared")}` : text;
}
