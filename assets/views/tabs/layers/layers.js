/** When did it know? What each layer would say, what the encoder had understood, how states grow. */

import { h } from "../../../kit/dom.js";
import { decoderLensView } from "./decoder_lens.js";
import { lensView } from "./lens.js";
import { residualView } from "./residual.js";
import { rolloutView } from "./rollout.js";

/** @param {import("../../../state/actions.js").Context} context */
export function layersView(context) {
  const { t, watch } = context;
  const parts = [
    { name: "lens", view: lensView(context), alone: true },
    { name: "decoder_lens", view: decoderLensView(context), alone: false },
    { name: "residual", view: residualView(context), alone: true },
    { name: "rollout", view: rolloutView(context), alone: true },
  ];
  const sections = parts.map(({ name, view }) =>
    h(
      "section",
      { "aria-labelledby": `layers-${name}` },
      h("h3", { id: `layers-${name}` }, t(`layers.${name}`)),
      h("p", { class: "prose" }, t(`layers.${name}_about`)),
      view,
    ),
  );
  watch(["trace"], ({ trace }) => {
    for (const [i, { alone }] of parts.entries()) {
      sections[i].hidden = !alone && trace?.weights.cross === undefined;
    }
  });
  return h("div", { class: "inside" }, ...sections);
}
