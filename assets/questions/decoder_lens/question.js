/** What the encoder had understood, layer by layer. */

import { unfolding } from "../../state/address/parameter.js";

/** @type {import("../../parts/question.js").Question} */
export const DECODER_LENS = {
  ...{ name: "decoder_lens", tab: "layers", title: "layers.decoder_lens", fold: "layers.rest" },
  usual: {},
  address: [unfolding("layers", "layers.rest", "all")],
  ask: ["decoder_lens"],
  view: async () => (await import("./view.js")).decoderLensView,
};
