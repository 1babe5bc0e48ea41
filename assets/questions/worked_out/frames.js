/** Which frame of the arithmetic is shown, and how one goes on: by button, by key, or played. */

import { iconButton } from "../../kit/controls.js";
import { h, isCalm } from "../../kit/dom.js";
import { player } from "../../kit/player.js";
import { FRAMES } from "../../trace/arithmetic.js";

/** Milliseconds that a frame stands while they are played: time to read it. */
const PACE = 4500;

/** @param {import("../../state/actions.js").Context} context */
export function framesView({ store, actions, t, watch }) {
  const at = () => FRAMES.indexOf(store.get().frame);

  /** @param {number} frame */
  function go(frame) {
    const there = FRAMES[frame];
    if (there) actions.workTo(there);
  }

  /** @param {number} frame  by hand */
  function turn(frame) {
    playing.stop();
    go(frame);
  }

  const names = { play: t("worked_out.play"), pause: t("worked_out.pause"), key: t("step.space") };
  const playing = player(
    names,
    () => {
      if (isCalm()) return 0;
      go(at() === FRAMES.length - 1 ? 0 : at() + 1);
      return PACE;
    },
    () => {
      // Nobody looks, or nothing is left.
      if (!element.checkVisibility() || at() === FRAMES.length - 1) return false;
      go(at() + 1);
      return true;
    },
  );
  /** @type {(name: "previous" | "next", by: number, key: string) => HTMLButtonElement} */
  const button = (name, by, key) =>
    iconButton(name, t(`worked_out.${name}`), () => turn(at() + by), { key });
  const previous = button("previous", -1, "←");
  const next = button("next", 1, "→");
  const choices = FRAMES.map((frame, i) =>
    h(
      "button",
      { click: () => turn(i) },
      h("span", { class: "number" }, String(i + 1)),
      " ",
      h("span", { class: "name" }, t(`worked_out.frame.${frame}`)),
    ),
  );

  watch(["frame"], ({ frame }) => {
    for (const [i, choice] of choices.entries()) {
      choice.ariaCurrent = FRAMES[i] === frame ? "step" : null;
      choice.classList.toggle("done", i < FRAMES.indexOf(frame));
    }
    // Disabled, they would lose the focus, and with it the arrow keys.
    previous.ariaDisabled = String(frame === FRAMES[0]);
    next.ariaDisabled = String(frame === FRAMES.at(-1));
  });
  watch(["picked"], playing.stop);

  const element = h(
    "div",
    { class: "cluster frames", role: "group", "aria-label": t("worked_out.frames") },
    h("div", { class: "turning" }, previous, playing.button, next),
    h("ol", {}, ...choices.map((choice) => h("li", {}, choice))),
  );
  return {
    element,
    /**
     * @param {KeyboardEvent} event
     * @returns {boolean}  whether the key is one of these
     */
    press({ key, target }) {
      const { tagName } = /** @type {Element} */ (target);
      /** @type {Record<string, () => void>} */
      const acts = {
        ArrowLeft: () => turn(at() - 1),
        ArrowRight: () => turn(at() + 1),
        Home: () => turn(0),
        End: () => turn(FRAMES.length - 1),
        // A button has its own use for it.
        ...(tagName === "BUTTON" ? {} : { " ": playing.toggle }),
      };
      acts[key]?.();
      return key in acts;
    },
  };
}
