/** Which frame of the arithmetic is shown, and how one goes on: by button, by key, or played. */

import { h } from "../../../../kit/dom.js";
import { icon } from "../../../../kit/icons.js";
import { FRAMES } from "../../../../trace/arithmetic.js";
import { isCalm } from "./motion.js";

/** So long a frame stands while they are played, in milliseconds: time to read it. */
const PACE = 4500;

/** @param {import("../../../../state/actions.js").Context} context */
export function framesView({ store, actions, t, watch }) {
  let timer = 0;
  const at = () => FRAMES.indexOf(store.get().frame);

  /** @param {number} frame */
  function go(frame) {
    const there = FRAMES[frame];
    if (there) actions.workTo(there);
  }

  /** @param {number} frame  by hand */
  function turn(frame) {
    stop();
    go(frame);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    showPlaying();
  }

  function togglePlay() {
    if (timer || isCalm()) return stop();
    go(at() === FRAMES.length - 1 ? 0 : at() + 1);
    timer = window.setInterval(() => {
      // Nobody looks, or nothing is left.
      if (!element.checkVisibility() || at() === FRAMES.length - 1) stop();
      else go(at() + 1);
    }, PACE);
    showPlaying();
  }

  /** @type {(name: "previous" | "next", by: number, key: string) => HTMLButtonElement} */
  const button = (name, by, key) => {
    const label = t(`worked_out.${name}`);
    return h(
      "button",
      {
        class: "bare",
        "aria-label": label,
        title: `${label} (${key})`,
        click: () => turn(at() + by),
      },
      icon(name),
    );
  };
  const previous = button("previous", -1, "←");
  const next = button("next", 1, "→");
  const play = h("button", { class: "bare play", click: togglePlay });
  const choices = FRAMES.map((frame, i) =>
    h(
      "button",
      { click: () => turn(i) },
      h("span", { class: "number" }, String(i + 1)),
      " ",
      h("span", { class: "name" }, t(`worked_out.frame.${frame}`)),
    ),
  );

  function showPlaying() {
    const label = t(timer ? "worked_out.pause" : "worked_out.play");
    play.replaceChildren(icon(timer ? "pause" : "play"));
    play.ariaLabel = label;
    play.title = `${label} (${t("step.space")})`;
  }
  showPlaying();

  watch(["frame"], ({ frame }) => {
    for (const [i, choice] of choices.entries()) {
      choice.ariaCurrent = FRAMES[i] === frame ? "step" : null;
      choice.classList.toggle("done", i < FRAMES.indexOf(frame));
    }
    // Disabled, they would lose the focus, and with it the arrow keys.
    previous.ariaDisabled = String(frame === FRAMES[0]);
    next.ariaDisabled = String(frame === FRAMES.at(-1));
  });
  watch(["picked"], stop);

  const element = h(
    "div",
    { class: "frames", role: "group", "aria-label": t("worked_out.frames") },
    h("div", { class: "turning" }, previous, play, next),
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
        ...(tagName === "BUTTON" ? {} : { " ": togglePlay }),
      };
      acts[key]?.();
      return key in acts;
    },
  };
}
