/** Each stop's formula with the numbers of the trace filled in. */

import { agreeing } from "../kit/equation.js";
import { briefText, listed, numberText, smallText } from "../kit/numbers.js";
import { headName } from "../trace/choice.js";
import { dot, lengthOf } from "../trace/vectors.js";
import { blockRows, clearestHead, reading, representativeRow, seenBy } from "./numbers.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Trace } from "../trace/trace.js" */
/** @typedef {(context: Context, trace: Trace, step: number) => Promise<string[]> | string[]} Formula */

/** @type {Record<string, Formula>} */
export const FORMULAS = {
  tokens(_, trace, step) {
    const { tokens, ids } = reading(trace, step);
    const pairs = tokens.map((token, i) => ({ token, id: ids[i] }));
    // The number of what a decoder starts with is not told; a guest's is no <s> either.
    const numbered = pairs.filter(({ id }) => id >= 0);
    return (numbered.length || trace.guest ? numbered : pairs)
      .slice(0, 4)
      .map(({ token, id }) => `${token} → ${id >= 0 ? id : "<s>"}`);
  },
  async embedding(context, trace, step) {
    const { tower, tokens, ids } = reading(trace, step);
    const at = Math.min(1, tokens.length - 1);
    const { looked_up, leaves } = await blockRows(context, trace, `${tower}.embedding`);
    const scaled = lengthOf(leaves[at]) > lengthOf(looked_up[at]);
    const factor = scaled ? ` × √${leaves[at].length}` : "";
    return [tokens[at], `E[${ids[at] >= 0 ? ids[at] : "<s>"}]${factor} = ${vector(leaves[at])}`];
  },
  async position(context, trace, step) {
    const { tower } = reading(trace, step);
    const { added } = await blockRows(context, trace, `${tower}.position`);
    const at = Math.min(1, added.length - 1);
    return [`${context.t("model.pe", { place: at + 1 })} = ${vector(added[at])}`];
  },
  async projections(context, trace, step) {
    const { query, keys, best, kind, asking, tokens } = await representativeRow(
      context,
      trace,
      step,
    );
    return [
      `q = x · W_Q + b_Q = ${vector(query)}  [${query.length}]`,
      `k = y · W_K + b_K = ${vector(keys[best])}  [${query.length}]`,
      context.t(`worked_out.enter_${kind}`, { query: asking, key: tokens[best] }),
    ];
  },
  async scores(context, trace, step) {
    const { query, keys, best, asking, tokens, kind } = await representativeRow(
      context,
      trace,
      step,
    );
    const size = trace.weights[kind] ?? { queries: 0, keys: 0 };
    const counts = { queries: size.queries, keys: size.keys, count: size.queries * size.keys };
    const [q, k] = [query, keys[best]];
    const pair = (/** @type {number} */ i) => [q[i], k[i]].map((x) => bracketed(briefText(x)));
    const terms = [0, 1].map((i) => pair(i).join("·")).join(" + ");
    return [
      `${asking} · ${tokens[best]}`,
      `q·k = ${terms} + … = ${briefText(dot(q, k))}`,
      context.t("tour.scores.counted", counts),
    ];
  },
  async scale(context, trace, step) {
    const { query, keys, best } = await representativeRow(context, trace, step);
    const size = query.length;
    const product = dot(query, keys[best]);
    const by = (/** @type {number} */ x, /** @type {number} */ root) => x / root;
    const [whole, root] = agreeing([product, Math.sqrt(size)], by, briefText);
    const scaled = briefText(product / Math.sqrt(size));
    return [`q·k ÷ √${size} = ${whole} ÷ ${root} = ${scaled}`];
  },
  mask({ t }, trace, step) {
    const { seen, count } = seenBy(trace, step);
    const hidden = count - seen;
    const counted = t("tour.mask.counted", { seen, hidden, count });
    return trace.weights.decoder_self ? [counted, `${hidden} × (s → −∞), exp(−∞) = 0`] : [counted];
  },
  sinks({ t }, trace) {
    const clearest = clearestHead(trace, "first");
    if (!clearest) return [];
    const { head, share, mean, chance, count } = clearest;
    const token = trace.tgt_in[0];
    return [
      t("tour.sinks.counted", { count, token, share: briefText(mean), chance: briefText(chance) }),
      t("tour.sinks.most", { head: headName(head), share: briefText(share) }),
    ];
  },
  induction({ t }, trace) {
    const clearest = clearestHead(trace, "induction");
    if (!clearest) return [t("tour.induction.none")];
    const { head, share, chance } = clearest;
    const values = { head: headName(head), share: briefText(share), chance: briefText(chance) };
    return [t("tour.induction.counted", values)];
  },
  async softmax(context, trace, step) {
    const { scores, best } = await representativeRow(context, trace, step);
    const most = Math.max(...scores);
    const sum = scores.reduce((total, score) => total + Math.exp(score - most), 0);
    const share = smallText(Math.exp(scores[best] - most) / sum);
    const [score, largest, all] = agreeing(
      [scores[best], most, sum],
      (one, top, total) => Math.exp(one - top) / total,
      smallText,
    );
    return [
      "exp(s − max s) ÷ Σ exp(s − max s)",
      `exp(${score} − ${bracketed(largest)}) ÷ ${all} = ${share}`,
    ];
  },
  async heads(context, trace, step) {
    const { weights, values, kind } = await representativeRow(context, trace, step);
    const size = values[0].length;
    const mixed = Array.from({ length: size }, (_, i) =>
      weights.reduce((sum, weight, key) => sum + weight * values[key][i], 0),
    );
    const heads = trace.weights[kind]?.heads ?? 1;
    return [
      `Σ w·v = ${vector(mixed)}  [${size}]`,
      `${heads} × ${size} = ${heads * size},  · W_O + b_O`,
    ];
  },
  async residual(context, trace, step) {
    const { enters, added, leaves } = await blockRows(
      context,
      trace,
      "decoder.L1.feed_forward.add",
    );
    const long = (/** @type {Float32Array[]} */ rows) => briefText(lengthOf(rows[step]));
    return [`‖x‖ = ${long(enters)},  ‖f(x)‖ = ${long(added)},  ‖x + f(x)‖ = ${long(leaves)}`];
  },
  async cross(context, trace, step) {
    const { asking, tokens, weights, best } = await representativeRow(context, trace, step);
    return [`${asking} → ${tokens[best]}: ${numberText(weights[best])}`];
  },
  async next(context, trace, step) {
    const { logits, log_sum } = await blockRows(context, trace, "decoder.output");
    const chosen = trace.candidates[step].findIndex(({ id }) => id === trace.tgt_ids[step]);
    const [logit, [sum]] = [logits[step][chosen], log_sum[step]];
    const share = smallText(Math.exp(logit - sum));
    const less = (/** @type {number} */ one, /** @type {number} */ all) => Math.exp(one - all);
    const [one, all] = agreeing([logit, sum], less, smallText);
    return [
      `${trace.tgt_out[step]}: exp(logit − log Σ exp(logit))`,
      `exp(${one} − ${bracketed(all)}) = ${share}`,
    ];
  },
};

/** @param {string} number  as it is written */
function bracketed(number) {
  return number.startsWith("−") ? `(${number})` : number;
}

/** @param {ArrayLike<number>} values  their beginning */
function vector(values) {
  return `(${listed([...Array.from(values).slice(0, 3).map(briefText), "…"])})`;
}
