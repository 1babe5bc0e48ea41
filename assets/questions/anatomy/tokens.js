/** The tokens at the top of the model's picture: pointing at one lights its path. */

import { s } from "../../kit/dom.js";

/**
 * @param {import("../../draw/diagram/plan.js").Diagram} plan
 * @param {import("../../trace/trace.js").Trace} trace
 * @returns {SVGElement[]}
 */
export function drawTokens({ chips }, { src, tgt_in }) {
  return [
    ...chips.encoder.map((chip) => drawToken(chip, src[chip.index], "source")),
    ...chips.decoder.map((chip) => drawToken(chip, tgt_in[chip.index], "target")),
  ];
}

/**
 * The token that an event happened on, or that an element is.
 *
 * @param {EventTarget | null} target
 */
export function tokenAt(target) {
  const token = /** @type {Element} */ (target).closest("[data-token]");
  /** @type {import("../../trace/kinds.js").Side} */
  const side = token?.getAttribute("data-side") === "source" ? "source" : "target";
  return token && { side, index: Number(token.getAttribute("data-token")) };
}

/** @type {(chip: import("../../draw/diagram/plan.js").Chip, token: string, side: "source" | "target") => SVGElement} */
function drawToken({ index, x, y, width }, token, side) {
  return s(
    "g",
    { class: "chip-token", "data-token": index, "data-side": side },
    s("title", {}, token),
    s("rect", { x, y, width, height: 24, rx: 6 }),
    s("text", { x: x + width / 2, y: y + 17, "text-anchor": "middle" }, token),
  );
}
