/** The menu of a word: one list for all of them, opened above the word so that its beam stays in sight. */

import { h } from "../../kit/dom.js";
import { placeBeside } from "../../kit/place.js";

/** @typedef {{label: string, run: () => unknown}} Item */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {(index: number) => Item[]} itemsOf  a word's
 */
export function wordMenu(t, itemsOf) {
  const list = h("ul", {});
  const element = h(
    "div",
    { class: "menu word-menu", popover: "auto", role: "dialog", "aria-label": t("steer.menu") },
    list,
  );

  return {
    element,
    /** @type {(index: number, anchor: Element) => void} */
    open(index, anchor) {
      const items = itemsOf(index);
      if (!items.length) return;
      list.replaceChildren(
        ...items.map(({ label, run }) => {
          const click = () => {
            element.hidePopover();
            run();
          };
          return h("li", {}, h("button", { click }, label));
        }),
      );
      element.showPopover();
      placeBeside(element, anchor, { above: true });
      element.querySelector("button")?.focus();
    },
  };
}
