/** How weights are coloured: the scale, its curve, where it ends, or ranks. Numbers stay true. */

import { PLAIN, SCALES } from "./color.js";
import { h, icon } from "./dom.js";

const BELOW = 6;

/** @param {import("./page.js").Context} context */
export function coloringView({ store, actions, t, watch }) {
  const scale = h(
    "select",
    {
      id: "scale",
      change: () => {
        const chosen = SCALES.find((name) => name === scale.value);
        actions.color({ scale: chosen });
      },
    },
    ...SCALES.map((name) => h("option", { value: name }, t(`scale.${name}`))),
  );
  const rank = h("input", {
    type: "checkbox",
    id: "rank",
    change: () => actions.color({ rank: rank.checked }),
  });
  /** @type {(name: "gamma" | "full", min: number, max: number, step: number) => HTMLInputElement} */
  const slider = (name, min, max, step) =>
    h("input", {
      type: "range",
      ...{ id: name, min, max, step },
      input: (/** @type {Event} */ { target }) =>
        actions.color({ [name]: /** @type {HTMLInputElement} */ (target).valueAsNumber }),
    });
  const gamma = slider("gamma", 0.2, 3, 0.1);
  const full = slider("full", 0.05, 1, 0.05);
  const shown = { gamma: h("output", { for: "gamma" }), full: h("output", { for: "full" }) };

  watch(["look"], ({ look }) => {
    scale.value = look.scale;
    rank.checked = look.rank;
    for (const [input, name] of /** @type {const} */ ([
      [gamma, "gamma"],
      [full, "full"],
    ])) {
      const [min, max] = [Number(input.min), Number(input.max)];
      input.value = String(look[name]);
      input.disabled = look.rank;
      input.style.setProperty("--share", String((look[name] - min) / (max - min)));
      shown[name].textContent = look[name].toFixed(2);
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
    h("label", { for: "gamma" }, t("coloring.gamma"), " ", shown.gamma),
    gamma,
    h("label", { for: "full" }, t("coloring.full"), " ", shown.full),
    full,
    h("label", { class: "check" }, rank, t("coloring.rank")),
    h(
      "button",
      { type: "button", class: "chip", click: () => actions.color(PLAIN) },
      t("coloring.reset"),
    ),
  );
  const button = h(
    "button",
    { type: "button", class: "chip", popovertarget: "coloring", "aria-expanded": "false" },
    icon("colors"),
    t("coloring"),
  );
  settings.addEventListener("toggle", ({ newState }) => {
    button.ariaExpanded = String(newState === "open");
    if (newState !== "open") return;
    const { left, bottom } = button.getBoundingClientRect();
    const most = document.documentElement.clientWidth - settings.offsetWidth - BELOW;
    settings.style.left = `${Math.max(BELOW, Math.min(left, most)) + window.scrollX}px`;
    settings.style.top = `${bottom + BELOW + window.scrollY}px`;
    scale.focus();
  });
  watch(
    ["presenter"],
    () => store.get().presenter && settings.isConnected && settings.hidePopover(),
  );
  return h("span", {}, button, settings);
}
