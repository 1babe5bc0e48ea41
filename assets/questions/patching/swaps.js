/** Offers of another sentence: words of the one that is shown, each exchanged for another one. */

import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { donorOf } from "./settings.js";

/** @import { Swap } from "../../trace/answers.d.ts" */

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {(text: string) => void} choose
 */
export function swapsView({ store, t }, choose) {
  const swaps = h("ul", { class: "cluster swaps", "aria-labelledby": "patching-swaps" });

  /** @param {HTMLButtonElement} button */
  function press(button) {
    button.ariaPressed = String(button.value === donorOf(store.get()));
  }

  /** @param {Swap[]} offered */
  function offer(offered) {
    const words = [...new Set(offered.map(({ word }) => word))];
    swaps.replaceChildren(
      ...words.map((word) =>
        h(
          "li",
          { class: "cluster" },
          h("span", { "aria-hidden": "true" }, `${word} →`),
          ...offered.filter((swap) => swap.word === word).map(swapButton),
        ),
      ),
    );
    if (!words.length) swaps.append(h("li", { class: "quiet" }, t("patching.no_swaps")));
  }

  /** @param {Swap} swap */
  function swapButton({ word, other, text }) {
    const button = chip(() => choose(text), other);
    Object.assign(button, { value: text, title: text, ariaLabel: `${word} → ${other}` });
    press(button);
    return button;
  }

  return {
    element: swaps,
    offer,
    /** Marks what is chosen. */
    follow() {
      for (const button of swaps.querySelectorAll("button")) press(button);
    },
  };
}
