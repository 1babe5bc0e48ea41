/** The temperature and top-p beside the candidates: their bars reshape as it moves, and nothing is decoded. */

import { h, setSlider } from "../kit/dom.js";
import { numberText } from "../kit/numbers.js";
import { problemOf, problemText } from "../state/problem.js";
import { TEMPERATURES, TOP_PS } from "../state/sampling.js";
import { AS_IT_IS, tempered } from "../trace/tempered.js";

/** @import { Answers } from "../trace/answers.d.ts" */
/** @import { Trace } from "../trace/trace.js" */
/** @typedef {ReturnType<typeof tempered>} Tempered */

/**
 * @param {import("../state/actions.js").Context} context
 * @param {(shares: Tempered | null) => void} show  null: as it was decoded
 */
export function temperingView(context, show) {
  const { store, actions, about, served, t, watch } = context;
  /** @type {{trace: Trace, distribution: Answers["distribution"]} | null} */
  let held = null;

  const sliders = {
    temperature: slider(t, "temperature", TEMPERATURES, change),
    top_p: slider(t, "top_p", TOP_PS, change),
  };
  const back = h(
    "button",
    { class: "fold", click: () => actions.temper(null) },
    t("tempering.back"),
  );
  const draw = h("button", { class: "fold", click: sample }, t("tempering.draw"));
  const note = h("p", { class: "quiet", role: "status", "aria-label": t("tempering") });
  const element = h(
    "div",
    { class: "cluster tempering", role: "group", "aria-label": t("tempering") },
    ...Object.values(sliders).map(({ label }) => label),
    h("p", { class: "acts" }, draw, back),
    note,
  );

  /** @param {Partial<import("../trace/tempered.js").Tempering>} part */
  function change(part) {
    actions.temper({ ...(store.get().tempered ?? decoded()), ...part });
  }

  /** The tempering by which the tokens were chosen. */
  function decoded() {
    const { sampling } = store.get();
    return sampling
      ? { temperature: nearest(sampling.temperature), top_p: sampling.top_p ?? 1 }
      : AS_IT_IS;
  }

  function sample() {
    const { tempered: tempering, sampling } = store.get();
    if (!tempering) return;
    actions.temper(null);
    actions.chooseSampling({ top_k: 0, seed: 1, ...sampling, ...tempering });
  }

  async function learn() {
    const { trace, tempered: tempering } = store.get();
    if (!trace || !tempering || held?.trace === trace) return;
    try {
      const distribution = await about(trace).inside("distribution");
      if (store.get().trace !== trace) return;
      held = { trace, distribution };
      tell();
    } catch (error) {
      note.textContent = problemText(t, problemOf(error));
    }
  }

  function tell() {
    const { trace, step, tempered: tempering } = store.get();
    const shares =
      tempering && held && held.trace === trace && held.distribution.ids[step]
        ? tempered(held.distribution, step, tempering)
        : null;
    note.textContent = shares?.beyond
      ? t("tempering.beyond", { count: held?.distribution.ids[step].length ?? 0 })
      : "";
    show(shares);
  }

  watch(["trace", "question", "lacking"], ({ trace, question, lacking }) => {
    const lacks = lacking.includes("distribution") || "distribution" in (trace?.guest?.lacks ?? {});
    element.hidden = !served || !question || !trace?.tgt_ids.length || lacks;
  });
  watch(["tempered", "sampling", "trace"], ({ tempered: tempering, sampling }) => {
    const { temperature, top_p } = tempering ?? decoded();
    sliders.temperature.set(temperature);
    sliders.top_p.set(top_p);
    // Its place is kept: the slider beside it may be under a finger.
    sliders.top_p.label.classList.toggle("idle", tempering === null && sampling === null);
    draw.hidden = back.hidden = tempering === null;
    void learn();
  });
  watch(["tempered", "trace", "step"], tell);
  return element;
}

/**
 * @param {import("../kit/i18n.js").Translate} t
 * @param {keyof typeof AS_IT_IS} name
 * @param {typeof TEMPERATURES} range
 * @param {(part: Partial<import("../trace/tempered.js").Tempering>) => void} change
 */
function slider(t, name, range, change) {
  const input = h("input", {
    ...{ type: "range", ...range },
    "aria-label": t(`sampling.${name}`),
    input: () => change({ [name]: input.valueAsNumber }),
  });
  const shown = h("output");
  // No bubble, which would lie over what can be pressed below.
  const title = t(`term.${name}`);
  return {
    label: h(
      "label",
      { class: "abreast", title },
      h("span", {}, t(`sampling.${name}`)),
      input,
      shown,
    ),
    /** @param {number} value */
    set(value) {
      setSlider(input, value);
      shown.textContent = numberText(value, 2);
    },
  };
}

/**
 * On the slider's grid.
 *
 * @param {number} temperature
 */
function nearest(temperature) {
  const { min, max, step } = TEMPERATURES;
  const inside = Math.min(max, Math.max(min, temperature));
  return Math.round(inside / step) * step;
}
