/** A block's numbers for one token: what enters, what is done to it, what leaves. */

import { largest } from "../../draw/strip.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText, numberText } from "../../kit/numbers.js";
import { lengthOf, spread } from "../../trace/vectors.js";
import { attentionNumbers, maskNumbers } from "./attention.js";
import { logitNumbers, tokenNumbers } from "./ends.js";
import { openBlock } from "./opening.js";
import { formula, measured } from "./pieces.js";

/** @import { Context } from "./settings.js" */

/** @type {(context: Context, shown: import("./pieces.js").Shown) => Node[]} */
export function blockNumbers(context, shown) {
  const { t } = context;
  const { config, block, parts, row, trace } = shown;
  const { part } = block;
  const tokens = block.tower === "encoder" ? trace.src : trace.tgt_in;
  const { d_model: d, d_ff } = config;
  /** @type {(name: string, key: string, most?: number) => HTMLElement} */
  const vector = (name, key, most) => measured(t, name, parts[key][row], tokens[row], most);
  const length = (/** @type {string} */ key) => briefText(lengthOf(parts[key][row]));
  switch (part) {
    case "tokens":
      return tokenNumbers(context, shown);
    case "mask":
      return maskNumbers(context, shown);
    case "embedding": {
      const scale = config.scale_embeddings ? briefText(Math.sqrt(d)) : "1";
      return [
        formula(`x = E[id] × √d_model = E[id] × √${d} = E[id] × ${scale}`),
        vector("E[id]", "looked_up"),
        vector(t("model.leaves"), "leaves"),
      ].slice(config.scale_embeddings ? 0 : 1);
    }
    case "position":
      return [
        formula(
          `PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(…), ${t("model.pos")}`,
        ),
        vector(t("model.enters"), "enters"),
        vector(t("model.pe", { place: row + 1 }), "added", largest(parts.enters[row])),
        vector(t("model.leaves"), "leaves"),
        chip(() => openBlock(context, "positions"), t("model.positions")),
      ];
    case "add":
      return [
        formula(
          `‖x‖ = ${length("enters")},  ‖f(x)‖ = ${length("added")},  ‖x + f(x)‖ = ${length("leaves")}`,
        ),
        vector("x", "enters"),
        vector("f(x)", "added", largest(parts.enters[row])),
        vector("x + f(x)", "leaves"),
      ];
    case "norm": {
      const { mean, deviation } = spread(parts.enters[row]);
      return [
        formula(`(x − ${numberText(mean)}) ÷ ${numberText(deviation)} × γ + β`),
        vector(t("model.enters"), "enters"),
        vector(t("model.leaves"), "leaves"),
      ];
    }
    case "feed_forward": {
      const above = parts.inner[row].filter((value) => value > 0).length;
      return [
        formula(`W₂ · ${config.activation}(W₁ · x + b₁) + b₂`),
        vector(t("model.enters"), "enters"),
        vector(t("model.inner", { size: d_ff }), "inner"),
        h("p", { class: "quiet" }, t("model.active", { above, size: d_ff })),
        vector(t("model.leaves"), "leaves"),
        chip(() => openBlock(context, "costs"), t("model.costs")),
      ];
    }
    case "output":
    case "softmax":
    case "next":
      return [
        ...(part === "output" ? [vector(t("model.enters"), "enters")] : []),
        ...logitNumbers(context, shown),
      ];
    default:
      return attentionNumbers(context, shown, vector);
  }
}
