/** When did it know? What each layer would say, what the encoder had understood, how states grow. */

import { h } from "../kit/dom.js";
import { foldedView } from "../parts/folded.js";
import { DEFAULT_LAYERS } from "../state/state.js";
import { decoderLensView } from "./decoder_lens/view.js";
import { lensView } from "./lens/view.js";
import { residualView } from "./residual/view.js";
import { rolloutView } from "./rollout/view.js";

/** @param {import("../state/actions.js").Context} context */
export function layersView(context) {
  const { store, actions, t, watch } = context;
  const parts = [
    { name: "decoder_lens", view: decoderLensView, alone: false },
    { name: "residual", view: residualView, alone: true },
    { name: "rollout", view: rolloutView, alone: true },
  ];
  /** @type {(name: string, view: HTMLElement) => HTMLElement} */
  const section = (name, view) =>
    h(
      "section",
      { "aria-labelledby": `layers-${name}` },
      h("h3", { id: `layers-${name}` }, t(`layers.${name}`)),
      h("p", { class: "prose" }, t(`layers.${name}_about`)),
      view,
    );
  const rest = foldedView(t("layers.rest"), context, (context) => {
    const sections = parts.map(({ name, view }) => section(name, view(context)));
    context.watch(["trace"], ({ trace }) => {
      for (const [i, { alone }] of parts.entries()) {
        sections[i].hidden = !alone && trace?.weights.cross === undefined;
      }
    });
    return h("div", { class: "inside" }, ...sections);
  });
  rest.addEventListener("toggle", () => {
    if (rest.open !== store.get().layers.rest) actions.adjust("layers", { rest: rest.open });
  });
  let usual = true;
  watch(["layers"], ({ layers }) => {
    // An address that names one of them means it.
    if (layers.rest || (usual && !isUsual(layers))) rest.open = true;
    else if (!layers.rest) rest.open = false;
    usual = isUsual(layers);
  });
  return h("div", { class: "inside" }, section("lens", lensView(context)), rest);
}

/** @param {import("../state/state.js").LayerSettings} layers */
function isUsual({ tower, rollout }) {
  return tower === DEFAULT_LAYERS.tower && rollout === DEFAULT_LAYERS.rollout;
}
