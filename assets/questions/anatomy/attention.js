/** Attention in the model's picture: what its heads look at, and what a mask allows. */

import { tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { numberText, weightText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { showArithmetic } from "../../parts/reveal.js";
import { kindOf } from "../../trace/blocks.js";
import { headName } from "../../trace/choice.js";
import { isAhead, isMasked, keyTokens, queryTokens } from "../../trace/kinds.js";
import { headWeights, isOff } from "../../trace/weights.js";
import { openBlock } from "./opening.js";
import { formula, measured } from "./pieces.js";

/** @import { Context } from "./settings.js" */
/** @import { Shown } from "./pieces.js" */

/** @type {(context: Context, shown: Shown, vector: (name: string, key: string) => HTMLElement) => Node[]} */
export function attentionNumbers(context, { config, block, parts, row, trace }, vector) {
  const { t, actions } = context;
  const kind = kindOf(block);
  const weights = trace.weights[kind];
  if (!weights) return [];
  const layer = block.layer ?? 0;
  const keys = keyTokens(trace, kind);
  const heads = Array.from({ length: weights.heads }, (_, head) => {
    const start = row * weights.keys;
    const values = headWeights(weights, { layer, head }).subarray(start, start + weights.keys);
    const key = values.indexOf(Math.max(...values));
    return { head, key, weight: values[key], off: isOff(values, 0, weights.keys) };
  });
  const best = heads.reduce((one, other) => (other.weight > one.weight ? other : one));
  const size = config.d_model / config.num_heads;
  const rows = heads.map(({ head, key, weight, off }) =>
    tableRow(
      [
        h(
          "button",
          {
            class: "fold",
            "aria-label": t("model.work_out", { head: headName({ layer, head }) }),
            click: () => showArithmetic(actions, { kind, layer, head, query: row, key }),
          },
          headName({ layer, head }),
        ),
      ],
      [off ? "–" : tokenNode(keys[key]), weightText(weight, { off })],
    ),
  );
  const columns = [t("heads.head"), t("model.looks_at"), t("legend.weight")];
  return [
    formula(
      `softmax(Q·Kᵀ ÷ √${size})·V,  ${config.num_heads} × ${size} = ${config.d_model},  · W_O + b_O`,
    ),
    vector(t("model.enters"), "enters"),
    ...(parts.memory
      ? [measured(t, t("model.memory"), parts.memory[best.key], keys[best.key])]
      : []),
    h("p", { class: "quiet" }, t("model.heads_here")),
    tableOf({ columns, rows }),
    vector(t("model.joined"), "heads"),
    vector(t("model.leaves"), "leaves"),
    h(
      "div",
      { class: "cluster chips" },
      chip(() => openBlock(context, "scale"), t("model.scale")),
      chip(() => openBlock(context, "costs"), t("model.costs")),
    ),
  ];
}

/**
 * What the decoder's mask lets through; a change may have turned it round, or taken it away.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, causal: import("../../trace/kinds.js").Causal, own: string) => string}
 */
export function causalText(t, causal, own) {
  if (causal === false) return t("decoder_self.caption_off");
  return causal === "inverted" ? t("decoder_self.caption_inverted") : own;
}

/** @type {(context: Context, shown: Shown) => Node[]} */
export function maskNumbers({ t, store }, { block, row, trace }) {
  const { hiding, step } = store.get();
  const kind = kindOf(block);
  const keys = keyTokens(trace, kind);
  const rows = queryTokens(trace, kind).filter((_, i) => !hiding || !isAhead(kind, i, step));
  const mask = trace.weights[kind]?.causal ?? true;
  const seen = keys.filter((_, key) => !isMasked(kind, row, key, mask)).length;
  const causal = kind === "decoder_self";
  const lines = rows.map((token, query) =>
    h(
      "tr",
      { "aria-current": query === row ? "true" : null },
      h("th", { scope: "row" }, tokenNode(token)),
      ...keys.map((_, key) =>
        h("td", { class: isMasked(kind, query, key, mask) ? "hidden-cell" : "seen-cell" }),
      ),
    ),
  );
  return [
    h("p", {}, causal ? causalText(t, mask, t("model.mask_causal")) : t("model.mask_padding")),
    formula(`${numberText(seen, 0)} / ${keys.length}`),
    h(
      "div",
      {
        class: "scrolling",
        role: "img",
        "aria-label": t("model.mask_name", { seen, row: row + 1 }),
      },
      h("table", { class: "mask-table" }, h("tbody", {}, ...(causal ? lines : [lines[row]]))),
    ),
  ];
}
