/** Which lines are drawn: the kind, the layer, and the least weight; and how many they are. */

import { countLines } from "../../../draw/strokes.js";
import { h, setSlider } from "../../../kit/dom.js";
import { numberText } from "../../../kit/numbers.js";
import { isAhead, KINDS } from "../../../trace/kinds.js";
import { placeOfLines } from "./drawn.js";

/** @typedef {import("./drawn.js").Drawn} Drawn */

/**
 * @param {import("../../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, offer: (drawn: Drawn) => void, tell: (drawn: Drawn) => string}}
 *   `offer` what the trace has, `tell` how much of it is drawn
 */
export function lineControls({ store, actions, t }) {
  const kinds = KINDS.map((kind) => h("option", { value: kind }, t(`${kind}.title`)));
  const sameKind = h("option", { value: "" });
  const sameLayer = h("option", { value: "" });
  const kindPicker = h("select", { id: "lines-kind", change: chooseKind }, sameKind, ...kinds);
  const layerPicker = h("select", { id: "lines-layer", change: chooseLayer });

  function chooseKind() {
    const kind = KINDS.find((known) => known === kindPicker.value) ?? null;
    actions.changeLines({ kind, layer: null });
  }

  function chooseLayer() {
    // A layer by hand is one of this kind, whichever is the large one next.
    const kind = placeOfLines(store.get())?.kind ?? null;
    const { value } = layerPicker;
    actions.changeLines(value ? { kind, layer: Number(value) } : { layer: null });
  }

  const threshold = h("input", {
    type: "range",
    id: "lines-threshold",
    ...{ min: 0, max: 1, step: 0.01 },
    input: () => actions.changeLines({ threshold: threshold.valueAsNumber }),
  });
  const least = h("output", { for: "lines-threshold" });
  const count = h("p", { role: "status", class: "quiet", "aria-label": t("lines.count_name") });

  const element = h(
    "div",
    { class: "fields" },
    h("label", { for: "lines-kind", class: "spoken" }, t("lines.kind")),
    kindPicker,
    h("label", { for: "lines-layer", class: "spoken" }, t("lines.layer")),
    layerPicker,
    h(
      "div",
      { class: "field" },
      h("label", { for: "lines-threshold" }, t("lines.threshold")),
      threshold,
      least,
    ),
    count,
  );

  return {
    element,
    offer({ trace, weights, kind, layer }) {
      for (const [i, option] of kinds.entries()) option.hidden = !trace.weights[KINDS[i]];
      const { lines } = store.get();
      const followed = placeOfLines({ ...store.get(), lines: { ...lines, kind: null } });
      sameKind.textContent = t("lines.same", { name: t(`${followed?.kind ?? kind}.title`) });
      kindPicker.value = lines.kind ?? "";
      const own = placeOfLines({ ...store.get(), lines: { ...lines, kind, layer: null } });
      sameLayer.textContent = t("lines.same", {
        name: t("head.layer", { n: (own?.layer ?? layer) + 1 }),
      });
      layerPicker.replaceChildren(
        sameLayer,
        ...Array.from({ length: weights.layers }, (_, n) =>
          h("option", { value: n }, t("head.layer", { n: n + 1 })),
        ),
      );
      layerPicker.value = lines.layer === null ? "" : String(layer);
    },
    tell(drawn) {
      const { hiding, step } = store.get();
      const seen = (/** @type {number} */ query) => !hiding || !isAhead(drawn.kind, query, step);
      const { shown, total } = countLines(drawn, seen);
      const text = t("lines.count", { shown, total });
      count.textContent = text;
      least.textContent = numberText(drawn.threshold, 2);
      setSlider(threshold, drawn.threshold);
      return text;
    },
  };
}
