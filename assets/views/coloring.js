/** How weights are coloured: the scale, its curve, where it ends, or ranks. Numbers stay true. */

import { COLORING_RANGES, PLAIN, SCALES } from "../draw/coloring.js";
import { chip } from "../kit/controls.js";
import { h, setSlider } from "../kit/dom.js";
import { briefText } from "../kit/numbers.js";
import { placeBeside } from "../kit/place.js";
import { explained } from "../kit/terms.js";

/** @param {import("../state/actions.js").Context} context */
export function coloringView({ store, actions, t, watch }) {
  const scale = h(
    "select",
    {
      id: "scale",
      change: () => {
        const chosen = SCALES.find((name) => name === scale.value);
        actions.changeColoring({ scale: chosen });
      },
    },
    ...SCALES.map((name) => h("option", { value: name }, t(`scale.${name}`))),
  );
  const rank = h("input", {
    type: "checkbox",
    id: "rank",
    ...explained("rank"),
    change: () => actions.changeColoring({ rank: rank.checked }),
  });
  /** @param {keyof typeof COLORING_RANGES} name */
  const slider = (name) =>
    h("input", {
      type: "range",
      id: name,
      ...(name === "gamma" ? explained(name) : {}),
      ...COLORING_RANGES[name],
      input: (/** @type {Event} */ { target }) =>
        actions.changeColoring({ [name]: /** @type {HTMLInputElement} */ (target).valueAsNumber }),
    });
  const gamma = slider("gamma");
  const full = slider("full");
  const shown = { gamma: h("output", { for: "gamma" }), full: h("output", { for: "full" }) };

  watch(["coloring"], ({ coloring }) => {
    scale.value = coloring.scale;
    rank.checked = coloring.rank;
    for (const [input, name] of /** @type {const} */ ([
      [gamma, "gamma"],
      [full, "full"],
    ])) {
      setSlider(input, coloring[name]);
      input.disabled = coloring.rank;
      shown[name].textContent = briefText(coloring[name]);
    }
  });

  const settings = h(
    "div",
    {
      id: "coloring",
      class: "popover",
      popover: "auto",
      role: "group",
      "aria-label": t("coloring"),
    },
    h("label", { for: "scale" }, t("coloring.scale")),
    scale,
    h("label", { for: "gamma", "data-term": "gamma" }, t("coloring.gamma"), " ", shown.gamma),
    gamma,
    h("label", { for: "full" }, t("coloring.full"), " ", shown.full),
    full,
    h("label", { class: "abreast check", "data-term": "rank" }, rank, t("coloring.rank")),
    chip(() => actions.changeColoring(PLAIN), t("coloring.reset")),
  );
  watch(
    ["presenter"],
    () => store.get().presenter && settings.isConnected && settings.hidePopover(),
  );
  return {
    element: settings,
    /** @param {HTMLElement} anchor */
    open(anchor) {
      settings.showPopover();
      placeBeside(settings, anchor, { end: true });
      scale.focus();
    },
  };
}
