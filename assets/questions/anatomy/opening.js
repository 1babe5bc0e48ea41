/** Opening the blocks of the model's picture. */

import { inLayer, parseBlock } from "../../trace/blocks.js";

/** @import { Context } from "./settings.js" */
/** @typedef {Pick<Context, "store" | "actions">} Page */

/**
 * Shows the numbers of a block, or what is explained in their place; of a layer that is not drawn, it
 * is drawn from now on.
 *
 * @param {Page} page
 * @param {string} open
 */
export function openBlock({ store, actions }, open) {
  const { layer: drawn } = store.get().diagram;
  const layer = parseBlock(open)?.layer ?? null;
  actions.adjust("diagram", { open, layer: drawn === "all" || layer === null ? drawn : layer });
}

/** @type {(page: Page, layer: number | "all") => void} */
export function drawLayer({ store, actions }, layer) {
  const { open } = store.get().diagram;
  actions.adjust("diagram", { layer, open: open && layer !== "all" ? inLayer(open, layer) : open });
}
