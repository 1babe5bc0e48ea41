/** Through moments one after another: a slider, a button that plays them, and the moment in words. */

import { h, setSlider } from "../../kit/dom.js";
import { player } from "../../kit/player.js";

const KEYS = /** @type {Record<string, number>} */ ({
  ...{ ArrowRight: 1, ArrowUp: 1 },
  ...{ ArrowLeft: -1, ArrowDown: -1 },
});

/**
 * @param {{play: string, pause: string, slider: string}} names
 * @param {object} moments
 * @param {() => number} moments.last  the last one; -1 while there is none
 * @param {() => number} moments.shown
 * @param {(moment: number) => void} moments.go  perhaps beyond the first or the last
 * @param {() => number} moments.pace  milliseconds between two that are played
 * @param {(value: number) => number} [moments.at]  the one for a place of the slider
 */
export function momentSlider(names, { last, shown, go, pace, at = (value) => value }) {
  const { button, start, stop } = player(
    names,
    () => {
      if (last() < 0) return 0;
      // From the beginning, if it stands at the end.
      if (shown() === last()) go(0);
      return pace();
    },
    () => {
      if (!element.isConnected) return false;
      const next = shown() + 1;
      go(next);
      return next < last();
    },
  );
  /** @param {number} moment */
  const travel = (moment) => {
    stop();
    go(moment);
  };
  const slider = h("input", {
    ...{ type: "range", min: 0, "aria-label": names.slider },
    input: () => travel(at(slider.valueAsNumber)),
    /** A key goes to the next moment, however far it is. @param {KeyboardEvent} event */
    keydown(event) {
      const by = event.altKey || event.ctrlKey || event.metaKey ? 0 : KEYS[event.key];
      if (!by) return;
      event.preventDefault();
      travel(shown() + by);
    },
  });
  const words = h("output", { class: "moment" });
  const element = h("div", { class: "abreast travelling" }, button, slider);
  return {
    ...{ element, words, start, stop },
    /** @type {(value: number, max: number, text: string) => void} */
    show(value, max, text) {
      slider.max = String(max);
      setSlider(slider, value);
      slider.ariaValueText = words.textContent = text;
    },
  };
}
