/** How the next decode chooses its tokens: the likeliest, or drawn by lot. */

import { h, icon } from "./dom.js";

/** @type {import("./decoding.js").Sampling} */
const USUAL = { temperature: 0.8, top_k: 0, seed: 1 };

/** What can be chosen. */
export const TEMPERATURES = { min: 0.1, max: 2 };

const SEEDS = 10_000;

/** @param {import("./page.js").Context} context */
export function samplingView({ store, actions, t, watch }) {
  // What was set before someone went back to greedy decoding.
  let last = store.get().sampling ?? USUAL;

  /** @type {(name: "greedy" | "sampling", choose: () => void) => HTMLButtonElement} */
  const mode = (name, choose) =>
    h("button", { type: "button", click: choose }, t(`sampling.${name}`));
  const greedy = mode("greedy", () => actions.sample(null));
  const sampling = mode("sampling", () => actions.sample(last));

  const temperature = number("temperature", { type: "range", ...TEMPERATURES, step: 0.1 });
  const shown = h("output", { for: "temperature" });
  temperature.addEventListener("input", () => showTemperature(temperature.valueAsNumber));
  const placeholder = t("sampling.all");
  const topK = number("top_k", { type: "number", min: 0, max: 100_000, step: 1, placeholder });
  const seed = number("seed", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 });
  const name = t("sampling.new_seed");
  const die = h(
    "button",
    {
      type: "button",
      class: "bare",
      "aria-label": name,
      title: name,
      click: () => change({ seed: Math.floor(Math.random() * SEEDS) }),
    },
    icon("die"),
  );

  /** @type {(name: keyof typeof USUAL, attributes: Record<string, unknown>) => HTMLInputElement} */
  function number(name, attributes) {
    const input = h("input", {
      ...attributes,
      id: name,
      change() {
        // No top-k at all is 0, which stands for all tokens.
        const value = input.value || name !== "top_k" ? input.valueAsNumber : 0;
        if (input.checkValidity() && !Number.isNaN(value)) change({ [name]: value });
        else showAll();
      },
    });
    return input;
  }

  /** @param {Partial<typeof USUAL>} part */
  function change(part) {
    actions.sample({ ...last, ...part });
  }

  /** @param {number} value */
  function showTemperature(value) {
    shown.textContent = value.toFixed(1);
    const { min, max } = TEMPERATURES;
    temperature.style.setProperty("--share", String((value - min) / (max - min)));
  }

  /** @type {(name: keyof typeof USUAL, ...fields: Node[]) => HTMLElement} */
  const field = (name, ...fields) =>
    h(
      "span",
      { class: "field" },
      h("label", { for: name, title: t(`sampling.${name}_hint`) }, t(`sampling.${name}`)),
      ...fields,
    );
  const fields = h(
    "span",
    { class: "fields" },
    field("temperature", temperature, shown),
    field("top_k", topK),
    field("seed", seed, die),
  );

  function showAll() {
    temperature.value = String(last.temperature);
    showTemperature(last.temperature);
    topK.value = String(last.top_k || "");
    seed.value = String(last.seed);
  }

  watch(["sampling"], (state) => {
    const drawn = state.sampling !== null;
    last = state.sampling ?? last;
    greedy.ariaPressed = String(!drawn);
    sampling.ariaPressed = String(drawn);
    fields.hidden = !drawn;
    showAll();
  });

  return h(
    "div",
    { class: "sampling" },
    h("span", { class: "quiet", id: "decoding" }, t("sampling.heading")),
    h("div", { class: "switch", role: "group", "aria-labelledby": "decoding" }, greedy, sampling),
    fields,
  );
}
