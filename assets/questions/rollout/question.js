/** Attention multiplied through the layers. */

import { entriesOf, index, unfolds } from "../../state/address/parameter.js";
import { DEFAULT_ROLLOUT } from "./settings.js";

const usual = { rollout: DEFAULT_ROLLOUT };

const FOLD = "layers.rest";

/** @type {import("../../parts/question.js").Question} */
export const ROLLOUT = {
  ...{ name: "rollout", tab: "layers", title: "layers.rollout", fold: FOLD },
  usual,
  address: [
    // "L2": up to which layer attention is multiplied.
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
