/** How the next decode chooses its tokens: the likeliest, or drawn by lot. */

import { iconButton } from "../kit/controls.js";
import { h, setSlider } from "../kit/dom.js";
import { numberText } from "../kit/numbers.js";
import { placeBeside } from "../kit/place.js";
import { explained } from "../kit/terms.js";
import { TEMPERATURES, TOP_PS, USUAL_SAMPLING } from "../state/sampling.js";

/** @import { Sampling } from "../trace/trace.js" */

/** A new seed is one of so many. */
const SEEDS = 10_000;

/** @param {import("../state/actions.js").Context} context */
export function samplingView({ store, actions, t, watch }) {
  // What was set before someone went back to greedy decoding.
  let last = store.get().sampling ?? USUAL_SAMPLING;

  /** @type {(name: "greedy" | "sampling", choose: () => void) => HTMLButtonElement} */
  const mode = (name, choose) =>
    h("button", { click: choose, ...explained(name) }, t(`sampling.${name}`));
  const greedy = mode("greedy", () => actions.chooseSampling(null));
  const sampling = mode("sampling", () => actions.chooseSampling(last));
  const problem = h("p", { role: "alert", hidden: true });
  const fields = samplingFields(
    t,
    (part) => actions.chooseSampling({ ...last, ...part }),
    (valid) => complain(valid ? "" : t("error.bad_sampling")),
  );

  /** @param {string} sentence */
  function complain(sentence) {
    problem.textContent = sentence;
    problem.hidden = sentence === "";
    // It has another height now.
    if (settings.matches(":popover-open")) placeBeside(settings, button, { above: true });
  }

  const settings = h(
    "div",
    {
      id: "sampling",
      class: "popover decoding",
      popover: "auto",
      role: "group",
      "aria-labelledby": "decoding",
    },
    h("div", { class: "switch", role: "group", "aria-labelledby": "decoding" }, greedy, sampling),
    fields.element,
    problem,
  );
  // As wide for either.
  const now = h(
    "strong",
    { class: "either" },
    h("span", {}, t("sampling.greedy")),
    h("span", {}, t("sampling.sampling")),
  );
  const button = h(
    "button",
    { class: "chip", id: "decoding", popovertarget: "sampling" },
    h("span", { class: "quiet" }, `${t("sampling.heading")} `),
    now,
  );
  watch(["sampling"], (state) => {
    const drawn = state.sampling !== null;
    now.classList.toggle("other", drawn);
    last = state.sampling ?? last;
    greedy.ariaPressed = String(!drawn);
    sampling.ariaPressed = String(drawn);
    fields.element.hidden = !drawn;
    fields.show(last);
    complain("");
  });
  settings.addEventListener("beforetoggle", ({ newState }) => {
    // Below it is the status of the step.
    if (newState === "open") placeBeside(settings, button, { above: true });
  });
  return h("div", { class: "sampling" }, button, settings);
}

/**
 * How tokens are drawn: temperature, top-k, top-p and the seed.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {(part: Partial<Sampling>) => void} change
 * @param {(valid: boolean) => void} onTyped
 */
function samplingFields(t, change, onTyped) {
  /** @type {(name: keyof Sampling, attributes: Record<string, unknown>) => HTMLInputElement} */
  function number(name, attributes) {
    const input = h("input", {
      ...attributes,
      ...explained(name),
      id: name,
      change() {
        // No top-k at all is 0, which stands for all tokens.
        const value = input.value || name !== "top_k" ? input.valueAsNumber : 0;
        const valid = input.checkValidity() && !Number.isNaN(value);
        input.ariaInvalid = String(!valid);
        onTyped(valid);
        if (valid) change({ [name]: value });
      },
    });
    return input;
  }

  const temperature = number("temperature", { type: "range", ...TEMPERATURES });
  const shown = h("output", { for: "temperature" });
  temperature.addEventListener("input", () => showTemperature(temperature.valueAsNumber));
  const placeholder = t("sampling.all");
  const topK = number("top_k", { type: "number", min: 0, max: 100_000, step: 1, placeholder });
  const topP = number("top_p", { type: "number", ...TOP_PS });
  const seed = number("seed", { type: "number", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 });
  const die = iconButton("die", t("sampling.new_seed"), () =>
    change({ seed: Math.floor(Math.random() * SEEDS) }),
  );

  /** @param {number} value */
  function showTemperature(value) {
    shown.textContent = numberText(value, 2);
    setSlider(temperature, value);
  }

  /** @type {(name: keyof Sampling, ...fields: Node[]) => HTMLElement} */
  const field = (name, ...fields) =>
    h(
      "span",
      { class: "field" },
      h("label", { for: name, "data-term": name }, t(`sampling.${name}`)),
      ...fields,
    );
  return {
    element: h(
      "span",
      { class: "fields" },
      field("temperature", temperature, shown),
      field("top_k", topK),
      field("top_p", topP),
      field("seed", seed, die),
    ),
    /** @param {Sampling} sampling */
    show({ temperature: value, top_k, top_p, seed: drawn }) {
      showTemperature(value);
      topK.value = String(top_k || "");
      seed.value = String(drawn);
      topP.value = String(top_p ?? 1);
      topK.ariaInvalid = topP.ariaInvalid = seed.ariaInvalid = "false";
    },
  };
}
