/** Attention multiplied through the layers. */

import { entriesOf, index, unfolds } from "../../state/address/parameter.js";

/** @typedef {{layer: number | null}} Settings  up to which attention is multiplied; null is the last */

const usual = { rollout: /** @type {Settings} */ ({ layer: null }) };

const FOLD = "layers.rest";

/** @type {import("../../parts/question.js").Question} */
export const ROLLOUT = {
  ...{ name: "rollout", tab: "layers", title: "layers.rollout", fold: FOLD },
  needs: [],
  usual,
  address: [
    // "L2"
    unfolds(
      FOLD,
      entriesOf(usual).field("rollout", "rollout", "layer", {
        write: (layer) => `L${Number(layer) + 1}`,
        read: (text, { trace }) => {
          const { layers } = trace?.weights.encoder_self ?? trace?.weights.decoder_self ?? {};
          return text.startsWith("L") ? index(text.slice(1), layers) : null;
        },
      }),
    ),
  ],
  ask: [],
  view: async () => (await import("./view.js")).rolloutView,
};
