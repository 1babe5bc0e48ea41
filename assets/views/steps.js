/** Walking through the decoding, one step a token, and where one is. */

import { tokenNode } from "../draw/token.js";
import { iconButton, nameButton } from "../kit/controls.js";
import { h, setSlider } from "../kit/dom.js";
import { fill } from "../kit/i18n.js";
import { icon } from "../kit/icons.js";
import { countText, probabilityText } from "../kit/numbers.js";
import { SPEEDS } from "../state/stepping.js";
import { onlyReads, predicts, walkOf } from "../trace/kinds.js";
import { isForced, isGiven } from "../trace/tree.js";

/** @param {import("../state/actions.js").Context} context */
export function stepsView({ actions, t, watch }) {
  /** @type {(name: "first" | "previous" | "next" | "last") => HTMLButtonElement} */
  const button = (name) => iconButton(name, "", actions[name]);
  const [first, previous] = [button("first"), button("previous")];
  const [next, last] = [button("next"), button("last")];
  const play = h("button", { class: "bare play", click: actions.togglePlay });
  const pace = h(
    "select",
    {
      class: "small",
      "aria-label": t("step.speed"),
      title: t("step.speed"),
      hidden: true,
      change: () => actions.setSpeed(Number(pace.value)),
    },
    ...SPEEDS.map((speed) => h("option", { value: speed }, `${countText(speed, 1)}×`)),
  );
  watch(["speed", "playing"], ({ speed, playing }) => {
    pace.value = String(speed);
    // It comes with the first play, and stays.
    pace.hidden &&= !playing && speed === 1;
  });
  const slider = h("input", {
    type: "range",
    min: 1,
    input: () => actions.goTo(slider.valueAsNumber - 1),
  });
  const status = h("p", { role: "status", "aria-label": t("step.status_name") });
  const stopped = h("p", { class: "quiet" });

  watch(["playing"], ({ playing }) => {
    const name = t(playing ? "step.pause" : "step.play");
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.ariaLabel = name;
    play.title = `${name} (${t("step.space")})`;
  });
  const element = h(
    "section",
    { class: "cluster steps" },
    h("div", { class: "controls" }, first, previous, play, next, last, pace, slider),
    status,
    stopped,
  );
  watch(["trace"], ({ trace }) => {
    slider.max = String(trace ? walkOf(trace).length : 1);
    const named = (/** @type {string} */ name) =>
      t(onlyReads(trace) ? `step.${name}_word` : `step.${name}`);
    nameButton(first, named("first"), "Home");
    nameButton(previous, named("previous"), "←");
    nameButton(next, named("next"), "→");
    nameButton(last, named("last"), "End");
    element.ariaLabel = slider.ariaLabel = named("slider");
  });
  watch(["trace", "step", "beyond"], ({ trace, tree, step, beyond }) => {
    if (!trace) return;
    const count = walkOf(trace).length;
    const isKnown = predicts(trace);
    const [chosen] = trace.candidates[step].filter(({ id }) => id === trace.tgt_ids[step]);
    const given = isGiven(tree, trace, step);
    const drawn = given ? null : (chosen?.drawn ?? null);
    const [best] = trace.candidates[step];
    const instead =
      given && best && isForced(trace) ? t("step.status_forced") : t("step.status_given");
    const sentence = given ? instead : t("step.status");
    // An encoder predicts nothing but what is hidden from it.
    const bare =
      isKnown && trace.tgt_out[step]
        ? t("step.status_next")
        : t(onlyReads(trace) ? "step.status_word" : "step.status_reads");
    status.replaceChildren(
      ...fill(
        onlyReads(trace) || (!best && !chosen)
          ? bare
          : drawn === null
            ? sentence
            : t("step.status_drawn"),
        {
          step: String(step + 1),
          count: String(count),
          reads: tokenNode(walkOf(trace)[step]),
          predicts: tokenNode(trace.tgt_out[step] ?? ""),
          probability: chosen ? probabilityText(drawn ?? chosen.probability) : "–",
          best: best ? tokenNode(best.token) : "–",
          best_probability: best ? probabilityText(best.probability) : "–",
          own: chosen ? probabilityText(chosen.probability) : "–",
        },
      ),
    );
    setSlider(slider, step + 1);
    slider.ariaValueText = status.textContent;
    first.disabled = previous.disabled = step === 0;
    next.disabled = last.disabled = step === count - 1;
    const note = beyond === null ? "" : t("step.beyond", { asked: beyond, count });
    const end = trace.stop_reason && t(`stop.${trace.stop_reason}`);
    stopped.textContent = step === count - 1 ? `${note}${end}` : "";
  });

  return element;
}
