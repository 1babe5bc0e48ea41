/** Both ends of the model's picture: token ids, and the probabilities of the next token. */

import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { agreeing } from "../../kit/equation.js";
import { briefText, smallText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { formula } from "./pieces.js";

/** @import { Context } from "./settings.js" */
/** @import { Shown } from "./pieces.js" */

/** @type {(context: Context, shown: Shown) => Node[]} */
export function tokenNumbers({ t, store }, { block, row, trace }) {
  const encoder = block.tower === "encoder";
  const { hiding, step } = store.get();
  const written = hiding && !encoder ? step + 1 : trace.tgt_in.length;
  const tokens = encoder ? trace.src : trace.tgt_in.slice(0, written);
  // What the decoder reads is what it wrote, one place further on.
  const ids = encoder ? (trace.src_ids ?? []) : [null, ...trace.tgt_ids];
  const rows = tokens.map((token, i) =>
    tableRow([h("td", {}, String(i + 1)), tokenNode(token)], [String(ids[i] ?? "")], {
      "aria-current": i === row ? "true" : null,
    }),
  );
  return [
    tableOf({ columns: [t("model.place_number"), t("candidates.token"), t("model.number")], rows }),
  ];
}

/** @type {(context: Context, shown: Shown) => Node[]} */
export function logitNumbers({ t }, { config, block, parts, row, trace }) {
  const candidates = trace.candidates[row];
  const [sum] = parts.log_sum[row];
  const chosen = candidates.findIndex(({ id }) => id === trace.tgt_ids[row]);
  const logits = [...parts.logits[row]];
  const shares = logits.map((logit) => smallText(Math.exp(logit - sum)));
  // The projection hands on logits; what the softmax makes of them is the next block's.
  const before = block.part === "output";
  const rows = candidates.map(({ token, id }, i) =>
    tableRow(
      [tokenNode(token)],
      [String(id), briefText(logits[i]), ...(before ? [] : [shares[i]])],
      { "aria-current": i === chosen ? "true" : null },
    ),
  );
  const columns = [t("candidates.token"), t("model.number"), "logit"];
  if (before) {
    const bias = config.output_bias ? " + b" : "";
    return [formula(`logits = x · Wᵀ${bias}`), tableOf({ columns, rows })];
  }
  const less = (/** @type {number} */ one, /** @type {number} */ all) => Math.exp(one - all);
  const [logit, all] = agreeing([logits[chosen], sum], less, smallText);
  return [
    formula("p = exp(logit) ÷ Σ exp(logit) = exp(logit − log Σ exp(logit))"),
    formula(
      `${trace.tgt_out[row]}: exp(${logit} − ${all.startsWith("−") ? `(${all})` : all}) = ${shares[chosen]}`,
    ),
    tableOf({ columns: [...columns, t("model.probability")], rows }),
  ];
}
