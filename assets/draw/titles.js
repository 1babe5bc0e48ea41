/** What heads, changes, branches and axes are called, in words. */

import { headName } from "../trace/choice.js";
import { placeName, readIntervention } from "../trace/interventions.js";
import { decodes, rowNames } from "../trace/kinds.js";

/** @import { Translate } from "../kit/i18n.js" */

/**
 * "Layer 2, head 3", "Layer 2, mean over heads", …
 *
 * @param {Translate} t
 * @param {import("../trace/choice.js").Choice} choice
 */
export function headTitle(t, { layer, head }) {
  const ofLayers = typeof layer === "string" ? `layers_${layer}` : "layer";
  const ofHeads = typeof head === "string" ? `heads_${head}` : "head";
  return t("head.title", {
    layers: t(`head.${ofLayers}`, { n: Number(layer) + 1 }),
    heads: t(`head.${ofHeads}`, { n: Number(head) + 1 }),
  });
}

/**
 * "L2H3", "L2.mean", as the page's language calls a mean: addresses alone keep the English name.
 *
 * @param {Translate} t
 * @param {import("../trace/choice.js").Choice} choice
 */
export function shownName(t, choice) {
  const [where, how] = headName(choice)
    .split(".")
    .map((part) => (part === "mean" || part === "max" ? t(`heads.${part}`) : part));
  return how ? t("head.joined", { where, how }) : where;
}

/**
 * "Cross-attention, Layer 2, head 3"
 *
 * @param {Translate} t
 * @param {import("../trace/kinds.js").Kind} kind
 * @param {import("../trace/choice.js").Choice} choice
 */
export function figureTitle(t, kind, choice) {
  return t("head.of_kind", { kind: t(`${kind}.title`), head: headTitle(t, choice) });
}

/**
 * Above each column of labels beside a matrix's rows.
 *
 * @param {Translate} t
 * @param {import("../trace/kinds.js").Kind} kind
 */
export function rowHeadings(t, kind) {
  return rowNames(kind).map((name) => t(`axis.${name}`));
}

/**
 * "Cross L2H4", "Encoder L1, all heads", "Cross, all heads, step 4"
 *
 * @param {Translate} t
 * @param {import("../trace/interventions.js").Target} target
 */
export function targetTitle(t, { row, ...target }) {
  const kind = t(`${target.kind}.short`);
  const name = placeName(target);
  const what = name ? `${kind} ${name}` : kind;
  const heads = target.head === null ? t("change.all", { what }) : what;
  if (row === undefined) return heads;
  const where = decodes(target.kind) ? "step" : "token";
  return t(`change.at.${where}`, { what: heads, number: row + 1 });
}

/**
 * "No causal mask", "Decoder L2 without its residual"
 *
 * @param {Translate} t
 * @param {string} text  such as "causal=off"
 */
export function partTitle(t, text) {
  const { kind, layer, value } = readIntervention(text) ?? {};
  if (!kind) return t(`part.${partName(text)}`, { value: value ?? "" });
  const what = [t(`${kind}.short`), placeName({ layer: layer ?? null, head: null })];
  return t("part.residual", { what: what.filter(Boolean).join(" ") });
}

/**
 * "causal" for what is off, "causal=inverted" for what is wrong.
 *
 * @param {string} text
 */
export function partName(text) {
  const { effect = "" } = readIntervention(text) ?? {};
  return ["inverted", "mixed"].includes(effect) ? text : effect;
}

/** A branch's name. @type {(t: Translate, branch: import("../trace/tree.js").Branch) => string} */
export function branchName(t, { number, forkedFrom }) {
  return forkedFrom ? t("branches.branch", { number }) : t("branches.trunk");
}
