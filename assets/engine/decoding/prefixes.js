/** What a hypothesis is made to begin with (`transformer/decoding/prefixes.py`). */

import { HeadlightError } from "../errors.js";

/**
 * Refuses ids that no target of a model of this config begins with.
 *
 * @param {number[]} prefix
 * @param {import("../model/config.js").TransformerConfig} config
 * @throws {HeadlightError}
 */
export function checkPrefix(prefix, config) {
  const outside = prefix.some((token) => token < 0 || token >= config.tgt_vocab_size);
  const end = prefix.indexOf(config.eos_id);
  if (outside || (end >= 0 && end < prefix.length - 1)) throw new HeadlightError("bad_prefix");
  const { length } = prefix;
  if (length > config.max_length) {
    throw new HeadlightError("prefix_too_long", { length, limit: config.max_length });
  }
}
