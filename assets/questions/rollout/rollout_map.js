/** Rollout as a map: what each token is made of. */

import { briefText } from "../../kit/numbers.js";
import { keyTokens } from "../../trace/kinds.js";
import { headWeights } from "../../trace/weights.js";

/**
 * Rows are the tokens that a layer has enriched, columns those of the input that they are made of.
 *
 * @param {import("../../trace/trace.js").Trace} trace
 * @param {import("../../trace/weights.js").Weights} weights  of `rollout`
 * @param {number} layer
 * @param {import("../../kit/i18n.js").Translate} t
 * @returns {import("../../parts/map/drawn.js").Drawn}
 */
export function rolloutMap(trace, weights, layer, t) {
  const alone = !trace.weights.encoder_self;
  const tokens = keyTokens(trace, alone ? "decoder_self" : "encoder_self");
  const { keys } = weights;
  // What a decoder has not read yet has no share.
  const values = headWeights(weights, { layer, head: 0 }).map((share, i) =>
    alone && i % keys > Math.floor(i / keys) ? Number.NaN : share,
  );
  return {
    name: t("layers.rollout_map", { n: layer + 1 }),
    unit: "",
    numbers: { rows: keys, columns: keys, values },
    rows: [[t("axis.queries"), tokens]],
    heading: t("layers.made_of"),
    columns: tokens,
    text: briefText,
    ...(alone ? { steps: tokens.map((_, step) => [step]), read: true } : {}),
  };
}
