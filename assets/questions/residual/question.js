/** How states grow from sublayer to sublayer. */

import { entriesOf, oneOf, unfolds } from "../../state/address/parameter.js";

/** @typedef {{tower: "encoder" | "decoder"}} Settings  whose states are shown */

const usual = { residual: /** @type {Settings} */ ({ tower: "decoder" }) };

const FOLD = "layers.rest";

/** @type {import("../../parts/question.js").Question} */
export const RESIDUAL = {
  ...{ name: "residual", tab: "layers", title: "layers.residual", fold: FOLD },
  needs: [],
  usual,
  address: [
    unfolds(
      FOLD,
      entriesOf(usual).field(
        "residual",
        "residual",
        "tower",
        oneOf(["encoder"], (_, { trace }) => Boolean(trace?.weights.encoder_self)),
      ),
    ),
  ],
  ask: ["residual"],
  view: async () => (await import("./view.js")).residualView,
};
