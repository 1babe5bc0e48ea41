/** The vectors of the cell, large: what is compared, the whole that is shared, what is mixed. */

import { largest, strip } from "../../draw/strip.js";
import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { listed, numberText, smallText } from "../../kit/numbers.js";

/** @import { Frame } from "../../trace/arithmetic.js" */

/**
 * What is worked out.
 *
 * @typedef {object} Worked
 * @property {import("../../trace/trace.js").Trace} trace
 * @property {import("../../trace/choice.js").Cell} cell  of one head
 * @property {number} heads  of its layer
 * @property {import("../../trace/arithmetic.js").Arithmetic} arithmetic
 * @property {import("../../trace/arithmetic.js").HeadNumbers} numbers  the head's
 */

/**
 * @typedef {object} Line
 * @property {Frame[]} frames  that show it
 * @property {string} [of]  the token whose vector it is
 * @property {number} [most]  the size whose colour is fullest
 * @property {string} [total]  said at its end
 */

/** @typedef {{line: HTMLElement, strip: HTMLElement, frames: Frame[]}} Drawn */

/** @type {Frame[]}  that show query and key */
const COMPARED = ["vectors", "score", "scale"];

/** A narrower part of the whole has no room for its token. */
const NAMED = 0.05;

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Worked} worked
 * @param {string} asking  the query's token
 * @param {string[]} tokens  the keys'
 */
export function vectorsView(t, { cell, heads, arithmetic }, asking, tokens) {
  const { query, key, value, products, dot, share, output, row, sum } = arithmetic;
  const token = tokens[cell.key];

  /** @type {(name: string, vector: ArrayLike<number>, how: Line) => Drawn} */
  const line = (name, vector, { of = "", most, frames, total = "" }) => {
    const cells = strip(of ? `${name} ${of}` : name, vector, most);
    const label = h("span", { class: "cut label" }, name, of && " ", of && tokenNode(of));
    const whole = h("div", { class: "vector" }, label, cells, h("span", { class: "total" }, total));
    return { line: whole, strip: cells, frames };
  };
  const lines = {
    query: line(t("worked_out.query"), query, { of: asking, frames: COMPARED }),
    key: line(t("worked_out.key"), key, { of: token, frames: COMPARED }),
    products: line(t("worked_out.products"), products, {
      frames: ["score", "scale"],
      total: `Σ = ${numberText(dot)}`,
    }),
    value: line(t("worked_out.value"), value, { of: token, frames: ["vectors", "values"] }),
    // In the value's colours: a small weight brings little.
    share: line(t("worked_out.share"), share, { most: largest(value), frames: ["values"] }),
    output: line(t("worked_out.output"), output, { frames: ["values"] }),
  };

  const shares = row.map(({ weight }, i) =>
    h(
      "span",
      {
        class: i === cell.key ? "slice here" : "slice",
        style: `flex-grow: ${weight}`,
        title: `${tokens[i]}: ${smallText(weight)}`,
      },
      weight > NAMED ? tokenNode(tokens[i]) : "",
    ),
  );
  const text = listed(tokens.map((each, i) => `${each} ${smallText(row[i].weight)}`));
  const end = h("span", {});
  const whole = h(
    "div",
    { class: "shared" },
    h(
      "div",
      {
        class: "slices",
        role: "img",
        "aria-label": `${t("worked_out.whole")}${t("colon")}${text}`,
      },
      ...shares,
    ),
    h("div", { class: "ends" }, h("span", {}, "0"), end),
  );

  const joined = h("div", { class: "its-output" }, strip(t("worked_out.output"), output));
  const beside = h(
    "div",
    { class: "abreast side-by-side" },
    ...Array.from({ length: heads }, (_, head) =>
      h(
        "div",
        { class: head === cell.head ? "one-head here" : "one-head" },
        h("span", {}, t("head.head", { n: head + 1 })),
        head === cell.head ? joined : h("div", { class: "its-output" }),
      ),
    ),
    h("span", { class: "formula" }, "· W_O + b_O"),
  );

  return {
    element: h(
      "div",
      { class: "vectors" },
      ...Object.values(lines).map(({ line }) => line),
      whole,
      beside,
    ),
    query: lines.query.strip,
    products: lines.products.strip,
    output: lines.output.strip,
    ...{ shares, joined },
    /** @param {Frame} frame */
    show(frame) {
      for (const { line, frames } of Object.values(lines)) line.hidden = !frames.includes(frame);
      whole.hidden = !(frame === "exp" || frame === "softmax");
      end.textContent = frame === "exp" ? `Σ = ${numberText(sum)}` : "1";
      beside.hidden = frame !== "output";
    },
  };
}
