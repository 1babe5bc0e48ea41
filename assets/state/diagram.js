/** What a person does with the model's picture: opening blocks, choosing the layers that are drawn. */

import { inLayer, parseBlock } from "../trace/blocks.js";

/** @param {import("./store.js").Store<import("./state.js").State>} store */
export function diagramActions(store) {
  return {
    /**
     * Shows the numbers of a block, or what is explained in their place; of a layer that is not
     * drawn, it is drawn from now on.
     *
     * @param {string} open
     */
    openBlock(open) {
      const { diagram } = store.get();
      const layer = parseBlock(open)?.layer ?? null;
      const drawn = diagram.layer === "all" || layer === null ? diagram.layer : layer;
      store.set({ diagram: { ...diagram, open, layer: drawn } });
    },
    /** @param {import("./state.js").DiagramSettings["layer"]} layer */
    drawLayer(layer) {
      const { diagram } = store.get();
      const open = diagram.open && layer !== "all" ? inLayer(diagram.open, layer) : diagram.open;
      store.set({ diagram: { ...diagram, layer, open } });
    },
  };
}
