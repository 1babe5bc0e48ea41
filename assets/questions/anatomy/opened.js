/** What is open in the model's picture: a block, on whose numbers, and what is said of it. */

import { EXPLAINED, parseBlock } from "../../trace/blocks.js";
import { causalText } from "./attention.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Anatomy, Block, Config, Explained } from "../../trace/blocks.js" */
/** @import { Causal } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */

/** What is made of the output projection's numbers; the others have none. */
const FROM_OUTPUT = ["output", "softmax", "next"];
const WITHOUT = ["tokens", "mask"];

/** What is explained in a block's place. Of a guest, nothing is. @type {(trace: Trace | null, open: string | null) => Explained | undefined} */
export function explainedIn(trace, open) {
  return trace?.guest ? undefined : EXPLAINED.find((each) => each === open);
}

/**
 * The block that is open, and the name of the block whose numbers it is shown on: null where it is
 * shown on none, as those of guests are.
 *
 * @type {(trace: Trace | null, open: string | null, anatomy: Anatomy | null) => {block: Block, from: string | null} | null}
 */
export function openedBlock(trace, open, anatomy) {
  const block = open === null ? null : parseBlock(open);
  if (!trace || !anatomy || !block || !isIn(anatomy, block)) return null;
  if (WITHOUT.includes(block.part) || trace.guest) return { block, from: null };
  return { block, from: FROM_OUTPUT.includes(block.part) ? "decoder.output" : block.name };
}

/** @type {(anatomy: Anatomy, block: Block) => boolean} */
function isIn({ config, parameters }, { name, part, tower }) {
  if (tower === "encoder" && config.num_encoder_layers === 0) return false;
  if (part === "mask" || part === "add") return name.replace(/\.\w+$/, "") in parameters;
  if (tower === "encoder" && ["softmax", "guess"].includes(part)) {
    return "encoder.output" in parameters;
  }
  return name in parameters || ["tokens", "softmax", "next"].includes(part);
}

/** What a block does. @type {(t: Translate, config: Config, block: Block, causal?: Causal) => string} */
export function aboutText(t, { norm, gated }, { part, tower }, causal = true) {
  const bare = norm === "rms";
  if (part === "self_attention" && tower === "decoder")
    return causalText(t, causal, t("model.about_masked"));
  if (part === "norm" || part === "embedding_norm") {
    return t(bare ? "model.about_norm_rms" : "model.about_norm");
  }
  if (part === "feed_forward" && gated) return t("model.about_gated");
  if (part === "output" && tower === "encoder") return t("model.about_output_guesses");
  return t(`model.about_${part}`);
}
