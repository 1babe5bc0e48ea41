/** The temperature of all attention: every score is divided by it before the softmax. */

import { h, setSlider } from "../kit/dom.js";
import { briefText } from "../kit/numbers.js";

/** Temperatures that are offered: powers of two, by half an exponent. */
const EXPONENTS = { min: -3, max: 3, step: 0.5 };

/** Parts of 1 in which a change to the model names one. */
const FINEST = 1e4;

/** @param {string[]} changes */
function temperatureIn(changes) {
  const text = changes.find((each) => each.startsWith("temperature="));
  return { text, value: Number(text?.split("=")[1] ?? 1) };
}

/** @param {Pick<import("../state/actions.js").Context, "store" | "actions" | "t">} context */
export function heatView({ store, actions, t }) {
  /** @type {string[]} */
  let done = [];
  const slider = h("input", {
    ...{ id: "attention-temperature", type: "range", ...EXPONENTS },
    input: () => tell(2 ** slider.valueAsNumber),
    change() {
      const { text } = temperatureIn(done);
      const value = Math.round(2 ** slider.valueAsNumber * FINEST) / FINEST;
      // At 1 nothing is changed: what was is taken back.
      const part = value === 1 ? text : `temperature=${value}`;
      if (part && (value === 1 || part !== text)) actions.togglePart(part);
    },
  });
  const shown = h("output", { for: "attention-temperature" });
  const note = h("p", { class: "quiet" });

  /** @param {number} value */
  function tell(value) {
    shown.textContent = briefText(value);
    slider.ariaValueText = shown.textContent;
  }

  const name = h(
    "label",
    { class: "abreast", for: "attention-temperature" },
    h("strong", {}, t("part.attention")),
  );
  return {
    element: h("li", {}, h("div", { class: "field" }, name, slider, shown), note),
    /** @param {string[]} changes  that are made */
    show(changes) {
      done = changes;
      const { value } = temperatureIn(changes);
      setSlider(slider, Math.log2(value));
      tell(value);
      slider.disabled = store.get().patient !== null;
      // Whoever has not guessed yet is not told.
      note.hidden = value === 1;
      note.textContent = t(value > 1 ? "part.temperature.flat" : "part.temperature.sharp", {
        value: briefText(value),
      });
    },
  };
}
