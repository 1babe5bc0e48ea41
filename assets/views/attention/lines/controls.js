/** Which lines are drawn: the layer, and the least weight; and how many they are. */

import { countLines } from "../../../draw/strokes.js";
import { field } from "../../../kit/controls.js";
import { h, setSlider } from "../../../kit/dom.js";
import { briefText } from "../../../kit/numbers.js";
import { placeOfLines } from "../../../state/lines.js";

/** @import { Drawn } from "./drawn.js" */

/**
 * @param {import("../../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, offer: (drawn: Drawn) => void, tell: (drawn: Drawn) => string}}
 *   `offer` what the trace has, `tell` how much of it is drawn
 */
export function lineControls({ store, actions, served, t }) {
  const offered = served && !store.get().lacking.includes("bertviz");
  const sameLayer = h("option", { value: "" });
  const layerPicker = h("select", { id: "lines-layer", change: chooseLayer });

  function chooseLayer() {
    const { value } = layerPicker;
    actions.adjust("lines", { layer: value ? Number(value) : null, heads: null });
  }

  const threshold = h("input", {
    type: "range",
    id: "lines-threshold",
    ...{ min: 0, max: 1, step: 0.01 },
    input: () => actions.adjust("lines", { threshold: threshold.valueAsNumber }),
  });
  const least = h("output", { for: "lines-threshold" });
  const count = h("p", { role: "status", class: "quiet", "aria-label": t("lines.count_name") });

  const element = h(
    "div",
    { class: "fields" },
    h("label", { for: "lines-layer", class: "spoken" }, t("lines.layer")),
    layerPicker,
    field(t("lines.threshold"), threshold, least),
    count,
    offered
      ? h("button", { class: "link", click: () => actions.drawAs("bertviz") }, t("lines.bertviz"))
      : null,
  );

  return {
    element,
    offer({ whole, place: { layer } }) {
      const { lines } = store.get();
      const own = placeOfLines({ ...store.get(), lines: { ...lines, layer: null } });
      sameLayer.textContent = t("lines.same", {
        name: t("head.layer", { n: (own?.layer ?? layer) + 1 }),
      });
      layerPicker.replaceChildren(
        sameLayer,
        ...Array.from({ length: whole.layers }, (_, n) =>
          h("option", { value: n }, t("head.layer", { n: n + 1 })),
        ),
      );
      layerPicker.value = lines.layer === null ? "" : String(layer);
    },
    tell(drawn) {
      const text = t("lines.count", countLines(drawn, drawn.seen));
      count.textContent = text;
      least.textContent = briefText(drawn.threshold);
      setSlider(threshold, drawn.threshold);
      return text;
    },
  };
}
