/** The list of the keys that work anywhere on the page. */

import { chip, iconButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { tableRow } from "../kit/table.js";
import { onlyReads } from "../trace/kinds.js";

/** By the text that says what they do; those of a presenter last. */
const KEYS = /** @type {const} */ ([
  ["step", "←", "→"],
  ["ends", "Home", "End"],
  ["play", "Space"],
  ["hide", "H"],
  ["off", "X"],
  ["kind", "1", "2", "3"],
  ["zoom", "+", "−"],
  ["undo", "Ctrl Z"],
  ["redo", "Ctrl Shift Z"],
  ["presenter", "P"],
  ["head", "↑", "↓"],
  ["panel", "4 … 9"],
  ["full", "F"],
  ["list", "?"],
]);

/** Keys that need someone to ask. */
const ASKING = ["off", "undo", "redo"];

/**
 * The button that opens the list, and the dialog that holds it.
 *
 * @param {import("../state/actions.js").Context} context
 */
export function keysView({ served, t, watch }) {
  const body = h("tbody");
  watch(["trace"], ({ trace }) => {
    const reads = onlyReads(trace);
    const own = KEYS.filter(
      ([what]) => !(!served && ASKING.includes(what)) && !(reads && what === "hide"),
    );
    body.replaceChildren(
      ...own.map(([what, ...keys]) => {
        const names = keys.map((key) => h("kbd", {}, key === "Space" ? t("step.space") : key));
        const walks = what === "step" || what === "ends";
        const does = t(reads && walks ? `keys.${what}_word` : `keys.${what}`);
        return tableRow([h("th", { scope: "row" }, ...names)], [does]);
      }),
    );
  });
  const dialog = h(
    "dialog",
    { class: "card keys", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title", tabindex: -1 }, t("keys")),
    h("table", {}, body),
  );
  dialog.append(chip(() => dialog.close(), t("about.close")));
  return {
    button: iconButton("keys", t("keys"), openKeys, { kind: "bare keys", key: "?" }),
    dialog,
  };
}

/** Shows the list of the page that is drawn now. */
export function openKeys() {
  const dialog = document.querySelector("dialog.keys");
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}
