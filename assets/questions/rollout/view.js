/** Attention multiplied through the layers: crude, and labelled so. */

import { field } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { mapView } from "../../parts/map/map.js";
import { sectionView } from "../../parts/section.js";
import { rollout } from "../../trace/rollout.js";
import { rolloutMap } from "./rollout_map.js";

/** @param {import("../../state/actions.js").Context<{rollout: import("./settings.js").RolloutSettings}>} context */
export function rolloutView(context) {
  const { actions, t, watch } = context;
  const picker = h("select", {
    id: "rollout-layer",
    change: () => actions.adjust("rollout", { layer: picker.selectedIndex }),
  });
  watch(["trace", "rollout"], ({ trace, rollout: { layer } }) => {
    const weights = trace?.weights.encoder_self ?? trace?.weights.decoder_self;
    if (!weights) return;
    picker.replaceChildren(
      ...Array.from({ length: weights.layers }, (_, layer) =>
        h("option", { value: layer }, t("head.layer", { n: layer + 1 })),
      ),
    );
    picker.selectedIndex = Math.min(weights.layers - 1, layer ?? weights.layers - 1);
  });
  const map = mapView(context);
  /** @type {ReturnType<typeof rollout> | undefined} */
  let weights;
  watch(["trace"], ({ trace }) => (weights = trace ? rollout(trace) : undefined));
  watch(["trace", "rollout"], ({ trace, rollout: { layer } }) => {
    if (!trace || !weights) return;
    const last = weights.layers - 1;
    map.show(rolloutMap(trace, weights, Math.min(last, layer ?? last), t));
  });
  const view = h("div", {}, field(t("layers.up_to"), picker), map.element);
  return sectionView(t, "layers.rollout", view);
}
