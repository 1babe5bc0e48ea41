/** Attention multiplied through the layers: crude, and labelled so. */

import { h } from "../../../kit/dom.js";
import { numberText } from "../../../kit/numbers.js";
import { unpackWeights } from "../../../trace/unpack.js";
import { headWeights } from "../../../trace/weights.js";
import { mapView } from "../../map/map.js";
import { analysisView } from "../analysis.js";

/** @typedef {{tokens: string[], weights: import("../../../trace/unpack.js").PackedArray}} Rollout */

/** @param {import("../../../state/actions.js").Context} context */
export function rolloutView(context) {
  const { actions, t, watch } = context;
  const picker = h("select", {
    id: "rollout-layer",
    change: () => actions.changeLayers({ rollout: picker.selectedIndex }),
  });
  watch(["trace", "layers"], ({ trace, layers }) => {
    const weights = trace?.weights.encoder_self ?? trace?.weights.decoder_self;
    if (!weights) return;
    picker.replaceChildren(
      ...Array.from({ length: weights.layers }, (_, layer) =>
        h("option", { value: layer }, t("head.layer", { n: layer + 1 })),
      ),
    );
    picker.selectedIndex = Math.min(weights.layers - 1, layers.rollout ?? weights.layers - 1);
  });
  const map = mapView(context);
  const view = analysisView(context, {
    name: "rollout",
    keys: ["layers"],
    draw(/** @type {Rollout} */ said, { trace, layers }) {
      const weights = unpackWeights(said.weights);
      const last = weights.layers - 1;
      const layer = Math.min(last, layers.rollout ?? last);
      const alone = !trace?.weights.encoder_self;
      // What a decoder has not read yet has no share.
      const values = headWeights(weights, { layer, head: 0 }).map((share, i) =>
        alone && i % weights.keys > Math.floor(i / weights.keys) ? Number.NaN : share,
      );
      map.show({
        name: t("layers.rollout_map", { n: layer + 1 }),
        unit: "",
        numbers: { rows: weights.queries, columns: weights.keys, values },
        rows: [[t("layers.made_of"), said.tokens]],
        heading: t("axis.queries"),
        columns: said.tokens,
        text: (value) => numberText(value, 2),
        ...(alone ? { steps: said.tokens.map((_, step) => [step]), read: true } : {}),
      });
      return [map.element];
    },
  });
  return h(
    "div",
    {},
    h("div", { class: "field" }, h("label", { for: "rollout-layer" }, t("layers.up_to")), picker),
    view,
  );
}
