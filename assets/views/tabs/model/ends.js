/** Both ends of the model's picture: token ids, and the probabilities of the next token. */

import { tokenNode } from "../../../draw/token.js";
import { h } from "../../../kit/dom.js";
import { briefText, smallText } from "../../../kit/numbers.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { formula } from "./pieces.js";

/** @import { Context } from "../../../state/actions.js" */
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
  return [tableOf({ columns: [t("model.place_number"), t("axis.queries"), "id"], rows })];
}

/** @type {(context: Context, shown: Shown) => Node[]} */
export function logitNumbers({ t }, { parts, row, trace }) {
  const candidates = trace.candidates[row];
  const [sum] = parts.log_sum[row];
  const chosen = candidates.findIndex(({ id }) => id === trace.tgt_ids[row]);
  const logits = [...parts.logits[row]];
  const shares = logits.map((logit) => smallText(Math.exp(logit - sum)));
  const rows = candidates.map(({ token, id }, i) =>
    tableRow([tokenNode(token)], [String(id), briefText(logits[i]), shares[i]], {
      "aria-current": i === chosen ? "true" : null,
    }),
  );
  const [logit, all] = [briefText(logits[chosen]), briefText(sum)];
  return [
    formula(`exp(${logit}) ÷ Σ exp(logit) = exp(${logit} − ${all}) = ${shares[chosen]}`),
    tableOf({ columns: [t("candidates.token"), "id", "logit", t("model.probability")], rows }),
  ];
}
