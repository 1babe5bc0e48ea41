/** What heads and axes are called, in words. */

import { rowNames } from "../trace/kinds.js";

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
