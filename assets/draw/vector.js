/** A vector with its name: a strip that opens on its numbers. */

import { h } from "../kit/dom.js";
import { numberText } from "../kit/numbers.js";
import { strip } from "./strip.js";
import { tokenNode } from "./token.js";

/**
 * A vector as a strip of colours.
 *
 * @param {string} name
 * @param {ArrayLike<number>} vector
 * @param {object} [how]
 * @param {string} [how.token]  whose it is
 * @param {number} [how.most]  the size whose colour is fullest; by default the vector's largest
 * @param {string} [how.note]  beside the name
 */
export function vectorView(name, vector, { token, most, note } = {}) {
  const label = h(
    "span",
    {},
    name,
    token ? " " : "",
    token ? tokenNode(token) : "",
    note ? h("small", {}, note) : "",
  );
  const numbers = Array.from(vector, (value) => numberText(value)).join("  ");
  return h(
    "details",
    { class: "vector" },
    h("summary", {}, label, strip(token ? `${name} ${token}` : name, vector, most)),
    h("p", { class: "formula" }, numbers),
  );
}
