/** What the numbers of every block are told with. */

import { vectorView } from "../../draw/vector.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { lengthOf } from "../../trace/vectors.js";

/**
 * @typedef {object} Shown
 * @property {import("../../trace/blocks.js").Config} config
 * @property {import("../../trace/blocks.js").Block} block
 * @property {Record<string, Float32Array[]>} parts
 * @property {number} row  the token's
 * @property {import("../../trace/trace.js").Trace} trace
 */

/**
 * A vector and how long it is.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, name: string, vector: Float32Array, token: string, most?: number) => HTMLElement}
 */
export function measured(t, name, vector, token, most) {
  const note = t("model.length", { length: briefText(lengthOf(vector)) });
  return vectorView(name, vector, { token, most, note });
}

/** @param {string} text */
export function formula(text) {
  return h("p", { class: "formula" }, text);
}
