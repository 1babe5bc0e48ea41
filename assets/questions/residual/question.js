/** How states grow from sublayer to sublayer. */

import { entriesOf, oneOf, unfolds } from "../../state/address/parameter.js";
import { DEFAULT_RESIDUAL } from "./settings.js";

const usual = { residual: DEFAULT_RESIDUAL };

const FOLD = "layers.rest";

/** @type {import("../../parts/question.js").Question} */
export const RESIDUAL = {
  ...{ name: "residual", tab: "layers", title: "layers.residual", fold: FOLD },
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
