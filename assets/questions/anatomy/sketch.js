/** What the model's picture shows: its blocks laid out in the room there is, and their labels. */

import { layoutDiagram } from "../../draw/diagram/layout.js";
import { probabilityText } from "../../kit/numbers.js";
import { towerBlocks } from "../../trace/blocks.js";
import { blockName, spokenBlock } from "./names.js";
import { shapesOf } from "./shapes.js";

/** @import { Config } from "../../trace/blocks.js" */
/** @import { Trace } from "../../trace/trace.js" */

/** Size of tokens and of the marks beside their arrows, in CSS pixels. */
const TOKEN_FONT = 13;

/** @typedef {(text: string, size: number) => number} Measure  in CSS pixels */

/**
 * @param {Config} config
 * @param {Trace} trace
 * @param {import("./settings.js").DiagramSettings} diagram
 * @param {{width: number, opened: number, measure: Measure}} room  `opened`: the height of what is open
 */
export function sketch(config, trace, { layer, open }, { width, opened, measure }) {
  const towers = {
    encoder: towerBlocks(config, "encoder", layer),
    decoder: towerBlocks(config, "decoder", layer),
  };
  const widths = (/** @type {string[]} */ tokens) => tokens.map((x) => measure(x, TOKEN_FONT));
  const plan = layoutDiagram(
    width,
    towers,
    { encoder: widths(trace.src), decoder: widths(trace.tgt_in) },
    open === null ? null : { name: open, height: opened },
  );
  return { plan, blocks: [...towers.encoder, ...towers.decoder] };
}

/** @type {(t: import("../../kit/i18n.js").Translate, config: Config, trace: Trace, measure: Measure) => Parameters<typeof import("../../draw/diagram/picture.js").drawDiagram>[1]} */
export function labels(t, config, trace, measure) {
  const counts = { encoder: config.num_encoder_layers, decoder: config.num_decoder_layers };
  return {
    name: (block) => blockName(t, config, block),
    spoken: (block) => spokenBlock(t, config, block),
    shape: (edge) => shapesOf(edge, config, trace, t("model.memory_short")),
    frame: (layer, tower) => t("model.frame", { n: layer + 1, count: counts[tower] }),
    measure,
  };
}

/** The token that a step writes, and how probable it was. @type {(trace: Trace, step: number) => string} */
export function writtenText({ candidates, tgt_ids, tgt_out }, step) {
  const chosen = candidates[step]?.find(({ id }) => id === tgt_ids[step]);
  return `${tgt_out[step]}${chosen ? ` ${probabilityText(chosen.probability)}` : ""}`;
}
