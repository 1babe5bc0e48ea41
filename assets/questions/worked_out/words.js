/** What a frame of the arithmetic says: in words, and as a formula with the cell's numbers. */

import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { agreeing } from "../../kit/equation.js";
import { numberText, smallText } from "../../kit/numbers.js";
import { keyTokens } from "../../trace/kinds.js";

/** @import { Frame } from "../../trace/arithmetic.js" */
/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Worked } from "./vectors.js" */

/** Summands that are written out. */
const TERMS = 3;

/** @type {Record<Frame, (t: Translate, worked: Worked) => string>} */
const TEXTS = {
  vectors: (t, { cell, heads, arithmetic: { query } }) =>
    t(`worked_out.from_${cell.kind}`, { size: query.length, width: heads * query.length }),
  score: (t, { arithmetic: { query } }) => t("worked_out.score_why", { size: query.length }),
  scale: (t, { arithmetic: { query } }) => t("worked_out.scale_why", { size: query.length }),
  exp: (t, { arithmetic: { row } }) =>
    [t("worked_out.exp_why"), row.some(({ masked }) => masked) ? t("worked_out.causal") : ""].join(
      " ",
    ),
  softmax: (t, { arithmetic: { masked } }) =>
    t(masked ? "worked_out.masked" : "worked_out.softmax_why"),
  values: (t) => t("worked_out.bring_why"),
  output: (t, { heads, arithmetic: { query } }) =>
    t("worked_out.goes_why", { heads, size: query.length, width: heads * query.length }),
};

/** @type {Record<Frame, (worked: Worked) => (Node | string)[]>} */
const FORMULAS = {
  vectors: () => ["q = x · W_Q + b_Q,  k = y · W_K + b_K,  v = y · W_V + b_V"],
  score: ({ arithmetic: { query, key, dot } }) => [
    `q·k = ${term(query[0], key[0])} + ${term(query[1], key[1])} + … = ${numberText(dot)}`,
  ],
  scale({ arithmetic: { query, dot, scaled } }) {
    const size = query.length;
    const by = (/** @type {number} */ x, /** @type {number} */ root) => x / root;
    const [whole, root] = agreeing([dot, Math.sqrt(size)], by, numberText, 3);
    return [`q·k ÷ √${size} = ${whole} ÷ ${root} = ${numberText(scaled)}`];
  },
  exp({ cell, arithmetic: { row, largest, masked, changed } }) {
    if (changed) return [];
    const { score, exp } = row[cell.key];
    if (masked) return ["exp(−∞) = 0"];
    const less = (/** @type {number} */ one, /** @type {number} */ most) => Math.exp(one - most);
    const [one, most] = agreeing([score, largest], less, smallText, 3);
    return [`exp(s − max) = exp(${one} − ${bracketed(most)}) = ${smallText(exp)}`];
  },
  softmax({ cell, arithmetic: { row, sum, computed, changed } }) {
    if (changed) return [];
    const { exp } = row[cell.key];
    const by = (/** @type {number} */ one, /** @type {number} */ all) => one / all;
    // A tiny exponential has a power of ten, and one digit.
    if (exp < 0.0005) return [`${smallText(exp)} ÷ ${numberText(sum)} = ${smallText(computed)}`];
    const [one, all] = agreeing([exp, sum], by, smallText, 3);
    return [`exp(s − max) ÷ Σ = ${one} ÷ ${all} = ${smallText(computed)}`];
  },
  values({ trace, cell, arithmetic: { row } }) {
    const tokens = keyTokens(trace, cell.kind);
    const strongest = row.map((_, i) => i).sort((a, b) => row[b].weight - row[a].weight);
    const terms = strongest
      .slice(0, TERMS)
      .flatMap((i) => [`${smallText(row[i].weight)} · v(`, tokenNode(tokens[i]), ") + "]);
    return ["Σ = ", ...terms, "…"];
  },
  output: ({ heads }) => [`(${["o₁", "o₂", "…"].slice(0, heads).join(", ")}) · W_O + b_O`],
};

/** @type {(t: Translate, worked: Worked, frame: Frame) => Node[]} */
export function sayFrame(t, worked, frame) {
  const formula = FORMULAS[frame](worked);
  return [
    h("p", {}, TEXTS[frame](t, worked)),
    ...(formula.length ? [h("p", { class: "formula" }, ...formula)] : []),
  ];
}

/** @type {(one: number, other: number) => string} */
function term(one, other) {
  return `${bracketed(one)}·${bracketed(other)}`;
}

/** @param {number | string} value */
function bracketed(value) {
  const text = typeof value === "string" ? value : numberText(value);
  return text.startsWith("−") ? `(${text})` : text;
}
