/** Which colour is which head, and which heads are drawn. */

import { headColor, headDash } from "../../../draw/strokes.js";
import { chip } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";

/**
 * @param {import("../../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (drawn: import("./drawn.js").Drawn) => void}}
 */
export function lineLegend({ actions, t }) {
  const element = h("div", {
    class: "cluster chips",
    role: "group",
    "aria-label": t("lines.heads"),
  });

  return {
    element,
    show({ whole: { heads: count }, pressed: heads, theme }) {
      const focused = [...element.children].indexOf(
        /** @type {Element} */ (document.activeElement),
      );
      const all = Array.from({ length: count }, (_, head) => head);
      const whole = heads.length === all.length;
      const chips = all.map((head) =>
        h(
          "button",
          {
            class: "chip head-chip",
            style: `--head: ${headColor(head, theme)}`,
            "data-dashed": headDash(head).length > 0,
            "aria-pressed": String(heads.includes(head)),
            "aria-label": t("lines.head", { n: head + 1 }),
            title: t("lines.head", { n: head + 1 }),
            click: () => actions.adjust("lines", { heads: toggled(heads, head) }),
          },
          String(head + 1),
        ),
      );
      const everyOne = chip(
        () => actions.adjust("lines", { heads: whole ? [] : "all" }),
        t(whole ? "lines.none" : "lines.all"),
      );
      element.replaceChildren(...chips, everyOne);
      /** @type {HTMLElement | undefined} */ (element.children[focused])?.focus();
    },
  };
}

/** @type {(heads: number[], head: number) => number[]} */
function toggled(heads, head) {
  if (heads.includes(head)) return heads.filter((other) => other !== head);
  return [...heads, head].sort((one, other) => one - other);
}
