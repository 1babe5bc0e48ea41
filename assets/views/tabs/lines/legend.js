/** Which colour is which head, and which heads are drawn. */

import { headColor, headDash } from "../../../draw/strokes.js";
import { h } from "../../../kit/dom.js";

/**
 * @param {import("../../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (drawn: import("./drawn.js").Drawn) => void}}
 */
export function lineLegend({ store, actions, t }) {
  const element = h("div", { class: "chips", role: "group", "aria-label": t("lines.heads") });

  /** @param {number} head */
  function toggle(head) {
    const { off } = store.get().lines;
    const on = off.includes(head);
    actions.changeLines({ off: on ? off.filter((other) => other !== head) : [...off, head] });
  }

  return {
    element,
    show({ weights, heads, theme }) {
      const focused = [...element.children].indexOf(
        /** @type {Element} */ (document.activeElement),
      );
      const all = Array.from({ length: weights.heads }, (_, head) => head);
      const chips = all.map((head) =>
        h(
          "button",
          {
            class: "chip head-chip",
            style: `--head: ${headColor(head, theme)}`,
            "data-dashed": headDash(head).length > 0,
            "aria-pressed": String(heads.includes(head)),
            click: () => toggle(head),
          },
          t("lines.head", { n: head + 1 }),
        ),
      );
      const everyOne = h(
        "button",
        {
          class: "chip",
          click: () => actions.changeLines({ off: heads.length ? all : [] }),
        },
        t(heads.length ? "lines.none" : "lines.all"),
      );
      element.replaceChildren(...chips, everyOne);
      /** @type {HTMLElement | undefined} */ (element.children[focused])?.focus();
    },
  };
}
